package memory

import (
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// TestChanged checks that every change of conversations and knowledge is reported for its root,
// after readers can see it; derived texts and usage notes are not reported.
func TestChanged(t *testing.T) {
	var mu sync.Mutex
	told := map[string]int{}
	m := openedWith(t, t.TempDir(), func(o *Options) {
		o.Changed = func(root string) {
			mu.Lock()
			defer mu.Unlock()
			told[root]++
		}
	})
	defer m.Close()
	w, err := m.Workspace(t.Context(), "/one")
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Workspace(t.Context(), "/other")
	if err != nil {
		t.Fatal(err)
	}
	count := func(root string) int {
		mu.Lock()
		defer mu.Unlock()
		return told[root]
	}
	var exported strings.Builder
	for _, step := range []struct {
		name  string
		do    func() error
		tells bool
	}{
		{"append", func() error {
			_, err := w.Append(Addition{Conversation: "c", Messages: []dialogue.Message{{Role: dialogue.User, Content: "Hello."}, {Role: dialogue.User, Content: "Again."}}})
			return err
		}, true},
		{"versions", func() error { versioner{w}.make(nil); return nil }, false},
		{"note", func() error { return w.NoteLater("x", []byte("y")) }, false},
		{"board", func() error { return w.Desk().Pin("c", "T-1-R", "Turn 1", "Hello.") }, false},
		{"fork", func() error { _, err := w.Fork("c", 1, "d"); return err }, true},
		{"put", func() error {
			_, err := w.PutKnowledge(knowledge.Item{ID: "l1", Kind: knowledge.Lesson, Title: "t", Content: "c"})
			return err
		}, true},
		{"delete knowledge", func() error { return w.DeleteKnowledge("l1") }, true},
		{"export", func() error {
			v := w.View()
			defer v.Close()
			return v.Export(&exported)
		}, false},
		{"delete", func() error { return w.Delete("d") }, true},
		{"process", func() error { _, err := w.Process(t.Context(), Processing{}); return err }, true},
	} {
		before := count("/one")
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := count("/one") > before; got != step.tells {
			t.Errorf("%s: told is %t, want %t", step.name, got, step.tells)
		}
	}
	if n := count("/other"); n > 0 {
		t.Errorf("of another root is told %d times", n)
	}
	if _, err := other.Import(strings.NewReader(exported.String())); err != nil {
		t.Fatal(err)
	}
	if count("/other") == 0 {
		t.Error("an import is not told")
	}
	before := count("/other")
	if err := other.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if count("/other") == before {
		t.Error("that a workspace was forgotten is not told")
	}
}
