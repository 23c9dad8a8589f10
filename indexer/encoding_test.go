package indexer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// letters is a model whose vectors count letters. Tests can make it fail.
type letters struct {
	mu      sync.Mutex
	name    string
	sent    map[string]int
	spoiled string // texts that contain it are rejected
	away    error  // the model is unavailable
}

func (m *letters) Name() string     { return m.name }
func (m *letters) Identity() string { return "letters of " + m.name }
func (m *letters) Dimensions() int  { return 26 }

func (m *letters) Query(_ context.Context, text string) ([]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return lettersOf(text), m.away
}

func lettersOf(text string) []float32 {
	v := make([]float32, 26)
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' {
			v[r-'a']++
		}
	}
	return v
}

func (m *letters) Documents(_ context.Context, texts []encode.Document) (rows [][]float32, faults []error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows, faults = make([][]float32, len(texts)), make([]error, len(texts))
	if m.away != nil {
		return rows, faults, m.away
	}
	for i, t := range texts {
		m.sent[t.Body]++
		if m.spoiled != "" && strings.Contains(t.Body, m.spoiled) {
			faults[i] = errors.New("not a number")
			continue
		}
		rows[i] = lettersOf(t.Body)
	}
	return rows, faults, nil
}

func (m *letters) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// awaitModelStatus waits for the wanted status.
func awaitModelStatus(t *testing.T, x *Index, want func(ModelStatus) bool) ModelStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		changed := x.Changed()
		st := x.ModelStatus()
		if want(st) {
			return st
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("does not come true: %+v", st)
		}
	}
}

func modelFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func openModelled(t *testing.T, root, dir string, shelf *encode.Shelf) *Index {
	t.Helper()
	x, err := Open(t.Context(), Options{
		Root: root, Dir: dir, Home: t.TempDir(), Shelf: shelf, Count: func(b []byte) int { return len(b) / 4 },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestModelEmbeds(t *testing.T) {
	root := modelFiles(t, map[string]string{"zoo.txt": "zzz zebra zzz\n", "bee.txt": "bbb bumblebee bbb\n", "same.txt": "bbb bumblebee bbb\n"})
	shelf := encode.NewShelf(t.TempDir(), nil)
	defer shelf.Close()
	x := openModelled(t, root, t.TempDir(), shelf)
	first := &letters{name: "first", sent: map[string]int{}}
	x.SetModel(first)
	awaitModelStatus(t, x, func(s ModelStatus) bool { return s.Serving && s.Pending == 0 && s.Total == 3 })
	for text, n := range first.sent {
		if n != 1 || len(first.sent) != 2 {
			t.Errorf("%q was sent %d times, %d texts in all", text, n, len(first.sent))
		}
	}
	s, release := x.Snapshot()
	defer release()
	scores, asked, err := s.Vectors().ByModel(t.Context(), "zz")
	if err != nil || !asked {
		t.Fatal(asked, err)
	}
	best := 0
	for i, v := range scores {
		if v > scores[best] {
			best = i
		}
	}
	if s.Chunk(best).Path != "zoo.txt" {
		t.Errorf("%v", scores)
	}

	second := &letters{name: "second", sent: map[string]int{}, away: errors.New("gone")}
	x.SetModel(second)
	awaitModelStatus(t, x, func(s ModelStatus) bool {
		return s.Name == "second" && strings.Contains(s.Problem, "gone") && !s.Serving
	})
	if s, release := x.Snapshot(); s.vectors.encoded == nil || s.vectors.encoded.model != first {
		t.Error("the model before does not serve until the new one has embedded")
	} else {
		release()
	}
	second.set(func() { second.away = nil })
	awaitModelStatus(t, x, func(s ModelStatus) bool { return s.Serving && s.Problem == "" })

	again := openModelled(t, root, t.TempDir(), shelf)
	third := &letters{name: "second", sent: map[string]int{}}
	again.SetModel(third)
	awaitModelStatus(t, again, func(s ModelStatus) bool { return s.Serving && s.Pending == 0 })
	if len(third.sent) != 0 {
		t.Errorf("sent again: %v", third.sent)
	}
	if before, now := x.Status(), again.Status(); before.ModelCalls < 2 || now.ModelCalls != 0 || now.ModelReused != 2 {
		t.Errorf("%d calls before, %d after a restart, which reuses %d texts", before.ModelCalls, now.ModelCalls, now.ModelReused)
	}
	again.Rebuild(true)
	awaitModelStatus(t, again, func(s ModelStatus) bool {
		third.mu.Lock()
		defer third.mu.Unlock()
		return len(third.sent) == 2 && s.Pending == 0
	})
	again.SetModel(nil)
	awaitModelStatus(t, again, func(s ModelStatus) bool { return s.Name == "" })
	if s, release := again.Snapshot(); s.vectors.encoded != nil {
		t.Error("searches by a model that is gone")
	} else {
		release()
	}
}

func TestModelSpoiledText(t *testing.T) {
	x := openModelled(t, modelFiles(t, map[string]string{"good.txt": "good words\n", "bad.txt": "poison words\n"}), t.TempDir(), nil)
	m := &letters{name: "m", sent: map[string]int{}, spoiled: "poison"}
	x.SetModel(m)
	st := awaitModelStatus(t, x, func(s ModelStatus) bool { return s.Failed == 1 })
	if st.Pending != 1 || st.Total != 2 || st.Problem == "" {
		t.Errorf("%+v", st)
	}
	m.set(func() {
		if m.sent["good words\n"] != 1 || m.sent["poison words\n"] != maxTries {
			t.Errorf("sent %v", m.sent)
		}
	})
}
