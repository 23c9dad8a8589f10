package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
)

func all(string, string) bool { return true }

// TestHanded checks that what is recorded is read again, in the order of time, also after a line
// that is damaged, that a file does not grow without bound, and that old files are removed.
func TestHanded(t *testing.T) {
	state, now := t.TempDir(), time.Now()
	hand := func(id string, at time.Time, text string) {
		t.Helper()
		if err := RecordGiven(state, "/work", id, receipt.Give(at, "beforePrompt", text, time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	hand("a", now, "second.go:1")
	hand("a", now.Add(-time.Hour), "first.go:1")
	hand("b", now.Add(time.Minute), "later")
	path := receiptsPath(state, "a")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{\"conversation\":\"a\",\"te\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	hand("a", now.Add(time.Second), "third.go:1")
	list, err := ReadGiven(state, now, all)
	if err != nil || len(list) != 2 || list[0].Conversation != "b" || list[1].Root != "/work" {
		t.Fatalf("%+v, %v", list, err)
	}
	var texts []string
	for _, g := range list[1].Given {
		texts = append(texts, g.Names...)
	}
	if got := strings.Join(texts, " "); got != "first.go second.go third.go" {
		t.Errorf("read %q", got)
	}
	for range 5 {
		hand("a", now, strings.Repeat("x", mostGiven/3)+":1")
	}
	if info, err := os.Stat(path); err != nil || info.Size() > mostGiven {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if err := os.Chtimes(path, now.Add(-keepGiven-time.Hour), now.Add(-keepGiven-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if list, err := ReadGiven(state, now, all); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("an old file is still there")
	}
	if err := RemoveGiven(state, func(_, id string) bool { return id == "b" }); err != nil {
		t.Error(err)
	}
	if list, err := ReadGiven(state, now, all); err != nil || list != nil {
		t.Errorf("after it was forgotten: %+v, %v", list, err)
	}
	if list, err := ReadGiven(filepath.Join(state, "none"), now, all); err != nil || list != nil {
		t.Errorf("%+v, %v", list, err)
	}
}
