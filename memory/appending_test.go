package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

func exported(t *testing.T, w *Workspace) string {
	t.Helper()
	v := w.View()
	defer v.Close()
	var b strings.Builder
	if err := v.Export(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// additions are appends of every kind: to one conversation and several, with ids and without,
// repeated, with rules that later ones change, and invalid ones.
func additions() []Addition {
	var list []Addition
	for i := range 60 {
		a := Addition{Conversation: fmt.Sprint("c", i%3), Learn: true, Messages: talk(uint64(i), 1)}
		for k := range a.Messages {
			a.Messages[k].ID = ""
		}
		switch i % 10 {
		case 1:
			a.Messages[0].ID = fmt.Sprint("given", i/20) // a duplicate in the second and third round
		case 4:
			a.Messages[0].Content = fmt.Sprintf("From now on, always use %d spaces for indentation.", i)
		case 5:
			a.Messages[0].Role = "nobody"
		case 6:
			a.Conversation, a.Messages = "none", nil
		case 7:
			a.Title = fmt.Sprint("title ", i)
		}
		list = append(list, a)
	}
	return list
}

// TestGroupEqualsSingleAppends checks that appends staged together leave the same state and have
// the same answers as appends staged individually.
func TestGroupEqualsSingleAppends(t *testing.T) {
	type answer struct{ out, err string }
	run := func(together bool) (answers []answer, export string, w *Workspace) {
		m := opened(t, t.TempDir())
		t.Cleanup(func() { _ = m.Close() })
		w = workspace(t, m)
		var list []*Appending
		for _, a := range additions() {
			p, err := w.Prepare(a)
			if err != nil {
				answers = append(answers, answer{err: err.Error()})
				continue
			}
			p.Place()
			list = append(list, p)
			if !together {
				p.Stage()
			}
		}
		for _, p := range list {
			if together {
				p.Stage()
			}
			out, err := p.Wait()
			answers = append(answers, answer{fmt.Sprint(out), fmt.Sprint(err)})
		}
		m.worker.quiet()
		return answers, exported(t, w), w
	}
	single, alone, a := run(false)
	grouped, together, b := run(true)
	if !slices.Equal(single, grouped) {
		t.Errorf("the answers are\n%v\none by one, and together\n%v", single, grouped)
	}
	if alone != together {
		t.Errorf("one by one\n%s\ntogether\n%s", alone, together)
	}
	if !strings.Contains(alone, "spaces for indentation") || !strings.Contains(alone, `"type":"knowledge"`) {
		t.Errorf("no rule was learned:\n%s", alone)
	}
	for _, query := range []string{"the reader of module7", "lock before step12", "spaces for indentation"} {
		if x, y := found(t, a, query), found(t, b, query); x == "" || x != y {
			t.Errorf("%q finds\n%s\none by one, and together\n%s", query, x, y)
		}
	}
}

// found formats the results of a search.
func found(t *testing.T, w *Workspace, query string) string {
	t.Helper()
	v := w.View()
	defer v.Close()
	hits, err := v.Messages.Search(t.Context(), nil, query, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(hits)
}

// TestConcurrentAppends checks that of concurrent appends each is stored once, whole, in the order
// of its caller, and that a rejected one does not affect the others.
func TestConcurrentAppends(t *testing.T) {
	const callers, each = 16, 20
	m := opened(t, t.TempDir())
	defer m.Close()
	w := workspace(t, m)
	var wait sync.WaitGroup
	for caller := range callers {
		wait.Go(func() {
			for i := range each {
				bad := i%5 == 4
				pair := []dialogue.Message{
					{Role: dialogue.User, Content: fmt.Sprint(caller, " ", i), ID: fmt.Sprint(caller, "-", i)},
					{Role: dialogue.Assistant, Content: "yes"},
				}
				if bad {
					pair[1].Role = "nobody"
				}
				_, err := w.Append(Addition{Conversation: "all", Messages: pair})
				var invalid *conversation.InvalidError
				if bad != errors.As(err, &invalid) || !bad && err != nil {
					t.Errorf("append %d of caller %d: %v", i, caller, err)
				}
			}
		})
	}
	wait.Wait()
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("all")
	if err != nil {
		t.Fatal(err)
	}
	next := map[int]int{}
	for turn := 1; turn <= info.Turns; turn++ {
		got, err := conversation.Turn(v.state, info, turn)
		if err != nil || len(got.Messages) != 2 {
			t.Fatal(turn, got, err)
		}
		var caller, i int
		if _, err := fmt.Sscan(got.Messages[0].Content, &caller, &i); err != nil {
			t.Fatal(err)
		}
		if next[caller]%5 == 4 {
			next[caller]++
		}
		if i != next[caller] {
			t.Errorf("turn %d has append %d of caller %d, want %d", turn, i, caller, next[caller])
		}
		next[caller] = i + 1
	}
	if want := callers * each * 4 / 5; info.Turns != want {
		t.Errorf("%d turns, want %d", info.Turns, want)
	}
}
