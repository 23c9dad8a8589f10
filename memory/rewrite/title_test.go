package rewrite

import (
	"fmt"
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	list := []Untitled{
		{Label: "postgre", Names: []string{"pool"}, Quotations: []string{"The Connection pool of postgre is full.", "Make the connection pool larger, C# needs it.", "The connection pool again."}},
		{Label: "数据库", Quotations: []string{"我们的数据库连接池太小了。"}},
	}
	task, ok := Title(list, opts)
	if !ok || !strings.Contains(task.Request.Prompt, "connection pool larger") {
		t.Fatalf("%v %q", ok, task.Request.Prompt)
	}
	for _, c := range []struct {
		n           int
		label, want string
	}{
		{1, "CONNECTION POOL", "connection pool"},
		{1, " postgre connection pool ", "postgre connection pool"},
		{1, "pool", "pool"},
		{1, "postgre", ""},
		{1, "larger", ""},
		{1, "database pool", ""},
		{1, "The connection pool of postgre", ""},
		{1, "connect pool", ""},
		{1, "connection\npool", ""},
		{1, "`connection` pool", ""},
		{1, "<T-1-S>", ""},
		{1, "", ""},
		{2, "数据库连接池", "数据库连接池"},
		{2, "数据库 连接池", "数据库 连接池"},
		{2, "数据仓库", ""},
	} {
		labels, _, err := task.Read(fmt.Sprintf(`{"titles":[{"n":%d,"label":%q}]}`, c.n, c.label))
		if err != nil || labels[c.n-1] != c.want || labels[2-c.n] != "" {
			t.Errorf("%q gives %q, %v", c.label, labels, err)
		}
	}
	if labels, refused, err := task.Read(`{"titles":[{"n":1,"label":"pool"},{"n":1,"label":"postgre pool"},{"n":0,"label":"pool"},{"n":3,"label":"pool"}]}`); err != nil || refused != 3 || labels[0] != "pool" {
		t.Errorf("%q, %d refused, %v", labels, refused, err)
	}
	for _, bad := range []string{``, `[]`, `{"titles":[{"n":1,"label":"pool"}],"more":1}`, `{"titles":[{"n":1}`} {
		if labels, _, err := task.Read(bad); err == nil || labels[0] != "" {
			t.Errorf("%s gives %q", bad, labels)
		}
	}
	if _, ok := Title(nil, opts); ok {
		t.Error("a question about nothing")
	}
}
