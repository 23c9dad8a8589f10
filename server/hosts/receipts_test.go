package hosts

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func all(string, string) bool { return true }

// TestHanded checks that what is recorded is read again, in the order of time, also after a line
// that is damaged, that a file does not grow without bound, and that old files are removed.
func TestHanded(t *testing.T) {
	state, now := t.TempDir(), time.Now()
	hand := func(id string, at time.Time, text string) {
		t.Helper()
		if err := RecordGiven(state, "/work", id, Given{At: at, Moment: BeforePrompt, Text: text, Took: time.Millisecond}); err != nil {
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

// TestTexts checks that texts are kept for a day, that they do not grow without bound, that what is
// damaged is passed over, and that all go when something is forgotten.
func TestTexts(t *testing.T) {
	state, now := t.TempDir(), time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)
	give := func(at time.Time, text string) {
		t.Helper()
		if err := RecordGiven(state, "/work", "a", Given{At: at, Moment: BeforePrompt, Prompt: "say " + text, Text: text, Took: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
	}
	read := func(now time.Time) string {
		t.Helper()
		texts, err := ReadTexts(state, now)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, at := range slices.SortedFunc(maps.Keys(texts), time.Time.Compare) {
			out = append(out, texts[at].Text)
			if texts[at].Prompt != "say "+texts[at].Text {
				t.Errorf("read %+v", texts[at])
			}
		}
		return strings.Join(out, " ")
	}
	give(now.Add(-25*time.Hour), "older")
	give(now.Add(-23*time.Hour), "yesterday")
	give(now, "today")
	f, err := os.OpenFile(textsPath(state, now), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{\"at\":\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	give(now.Add(time.Minute), "later")
	if got := read(now); got != "yesterday today later" {
		t.Errorf("read %q", got)
	}
	give(now.Add(48*time.Hour), "after two days")
	if _, err := os.Stat(textsPath(state, now.Add(-24*time.Hour))); err == nil {
		t.Error("an old file is still there")
	}
	if info, err := os.Stat(textsPath(state, now.Add(48*time.Hour))); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others may read it: %v, %v", info, err)
	}
	for range 3 {
		give(now.Add(48*time.Hour), strings.Repeat("x", mostTexts/2))
	}
	if info, err := os.Stat(textsPath(state, now.Add(48*time.Hour))); err != nil || info.Size() > mostTexts {
		t.Errorf("%v, %v", info, err)
	}
	give(now.Add(73*time.Hour), strings.Repeat("x", mostTexts))
	secret := "ghp_" + "x7Kq2mVbN4tR9wLz" + "P1sYd8FhJ3cUaE6gWoTi"
	give(now.Add(73*time.Hour), "key "+secret)
	if got := read(now.Add(73 * time.Hour)); !strings.HasPrefix(got, "key [REDACTED:") || strings.Contains(got, secret) {
		t.Errorf("of a text that is too large, and one with a secret: %.80q", got)
	}
	if err := RemoveGiven(state, func(string, string) bool { return false }); err != nil {
		t.Error(err)
	}
	if got := read(now.Add(73 * time.Hour)); got != "" {
		t.Errorf("after something was forgotten: %.40q", got)
	}
}
