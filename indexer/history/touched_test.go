package history

import (
	"testing"
	"time"
)

// TestTouched checks that only the commits since a time that changed the file are listed, the
// newest first, below a folder of the repository too.
func TestTouched(t *testing.T) {
	r := newRepo(t)
	at := func(date, message string, files ...string) {
		t.Helper()
		t.Setenv("GIT_COMMITTER_DATE", date)
		r.commit(message, files...)
	}
	at("2026-10-01T10:00:00Z", "add the pool", "db/pool.go", "1", "[x].go", "1", "x.go", "1")
	at("2026-10-02T10:00:00Z", "drain before close\n\nAt last.", "db/pool.go", "2")
	at("2026-10-03T10:00:00Z", "something else", "x.go", "2")
	at("2026-10-05T10:00:00Z", "close it: twice", "db/pool.go", "3")
	touched := func(root, file, since string, limit int) []Touch {
		t.Helper()
		from, err := time.Parse(time.RFC3339, since)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Touched(t.Context(), root, file, from, limit)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	list := touched(r.dir, "db/pool.go", "2026-10-01T10:00:00Z", 9)
	if len(list) != 2 || list[0].Subject != "close it: twice" || list[1].Subject != "drain before close" || list[1].At.Format(time.RFC3339) != "2026-10-02T10:00:00Z" {
		t.Errorf("since the first commit: %v", list)
	}
	if list := touched(r.dir+"/db", "pool.go", "2026-10-02T10:00:01Z", 9); len(list) != 1 {
		t.Errorf("below a folder: %v", list)
	}
	if list := touched(r.dir, "db/pool.go", "2020-01-01T00:00:00Z", 1); len(list) != 1 || list[0].Subject != "close it: twice" {
		t.Errorf("at most one: %v", list)
	}
	for _, file := range []string{"[x].go", "no.go", "-n"} {
		if list := touched(r.dir, file, "2026-10-01T10:00:00Z", 9); len(list) > 0 {
			t.Errorf("%s: %v", file, list)
		}
	}
	if list := touched(t.TempDir(), "x.go", "2020-01-01T00:00:00Z", 9); len(list) > 0 {
		t.Errorf("without a repository: %v", list)
	}
}
