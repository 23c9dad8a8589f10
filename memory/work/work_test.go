package work

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

const ws store.Workspace = 7

var start = time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)

// entries returns the log of a workspace, oldest first.
func entries(view store.View) (log []Entry, err error) {
	err = eachEntry(view, func(e Entry) (bool, error) {
		log = append(log, e)
		return true, nil
	})
	return log, err
}

func complete(t rapid.TB, s *store.Store, c Completion, now time.Time) (task Task) {
	t.Helper()
	storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) (err error) {
		task, err = Complete(tx, c)
		return err
	})
	return task
}

func block(t rapid.TB, s *store.Store, id, reason string, at, now time.Time) {
	t.Helper()
	storetest.ApplyAt(t, s, ws, now, func(tx store.Tx) error {
		_, err := Block(tx, id, reason, at)
		return err
	})
}

func list(t rapid.TB, s *store.Store, limit int) (completed, blockers []string) {
	t.Helper()
	c, k, err := List(s.View(ws), limit)
	if err != nil {
		t.Fatal(err)
	}
	return ids(c), ids(k)
}

func ids(tasks []Task) []string {
	out := []string{}
	for _, t := range tasks {
		out = append(out, t.ID)
	}
	return out
}

func TestCompleteClearsBlocker(t *testing.T) {
	s := storetest.Open(t)
	block(t, s, "a", "no key for the staging host", time.Time{}, start)
	block(t, s, "b", "waits for a", time.Time{}, start)
	got := complete(t, s, Completion{
		TaskID: "a", Intent: "Rotate the signing keys.  All of them.", RequiresContext: true,
		Validation: &Validation{Success: true, Notes: "hosts answer with the new key"},
	}, start.Add(time.Second))
	if got.State != Completed || got.Reason != "no key for the staging host" || got.Success == nil || !*got.Success {
		t.Errorf("completed: %+v", got)
	}
	want := "Rotate the signing keys. Succeeded: hosts answer with the new key. Had been blocked: no key for the staging host."
	if got.Summary != want {
		t.Errorf("summary = %q, want %q", got.Summary, want)
	}
	completed, blockers := list(t, s, 100)
	if !slices.Equal(completed, []string{"a"}) || !slices.Equal(blockers, []string{"b"}) {
		t.Errorf("completed %v, blockers %v", completed, blockers)
	}
}

func TestUnblock(t *testing.T) {
	s := storetest.Open(t)
	tx := s.Begin(ws, start)
	if _, err := Unblock(tx, "a"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("unblock of what is not blocked: %v", err)
	}
	block(t, s, "a", "first", start.Add(-time.Hour), start)
	block(t, s, "a", "second", time.Time{}, start)
	var got Task
	storetest.ApplyAt(t, s, ws, start.Add(time.Minute), func(tx store.Tx) (err error) {
		got, err = Unblock(tx, "a")
		return err
	})
	if got != (Task{ID: "a", State: Unblocked, Reason: "second", At: start.Add(time.Minute)}) {
		t.Errorf("unblocked: %+v", got)
	}
	if _, err := Unblock(s.Begin(ws, start), "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unblock twice: %v", err)
	}
	log, err := entries(s.View(ws))
	if err != nil || len(log) != 3 {
		t.Fatalf("log has %d entries, %v", len(log), err)
	}
	for i, want := range []Action{DidBlock, DidBlock, DidUnblock} {
		if log[i].Action != want {
			t.Errorf("entry %d of the log is %+v, want %s", i, log[i], want)
		}
	}
}

func TestSummary(t *testing.T) {
	yes, no := &Validation{Success: true}, &Validation{Notes: "two of nine cases fail, e.g. the empty file. See log."}
	for _, c := range []struct {
		name    string
		c       Completion
		blocked string
		want    string
	}{
		{"nothing said", Completion{TaskID: "t-1"}, "", "t-1 is done."},
		{"intent", Completion{TaskID: "t-1", Intent: " Parse v1.2 of the header\n\tand keep it "}, "", "Parse v1.2 of the header and keep it."},
		{"success", Completion{TaskID: "t-1", Intent: "Ship it!", Validation: yes}, "", "Ship it! Succeeded."},
		{"failure", Completion{TaskID: "t-1", Intent: "x", Validation: no}, "", "x. Failed: two of nine cases fail, e.g. the empty file."},
		{"blocked", Completion{TaskID: "t-1", Intent: "x"}, "y?", "x. Had been blocked: y?"},
		{"blank intent", Completion{TaskID: "t-1", Intent: " \n"}, "", "t-1 is done."},
	} {
		if got := summarise(c.c, c.blocked); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for n := range 400 {
		got := gist(strings.Repeat("é", n)+" "+strings.Repeat("ab ", n), 60)
		if len(got) > 60 || strings.ContainsRune(got, '�') {
			t.Fatalf("gist of %d: %q", n, got)
		}
	}
}

func TestSummaryOnlyWhereAsked(t *testing.T) {
	s := storetest.Open(t)
	if got := complete(t, s, Completion{TaskID: "a", Intent: "x"}, start); got.Summary != "" || got.Intent != "x" {
		t.Errorf("%+v", got)
	}
}

func TestForBundle(t *testing.T) {
	s := storetest.Open(t)
	for i := range 7 {
		now := start.Add(time.Duration(i) * time.Minute)
		complete(t, s, Completion{TaskID: fmt.Sprint("done", i)}, now)
		block(t, s, fmt.Sprint("stuck", i), "r", time.Time{}, now)
	}
	c, k, err := ForBundle(s.View(ws))
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(c); !slices.Equal(got, []string{"done6", "done5", "done4", "done3", "done2"}) {
		t.Errorf("completed %v", got)
	}
	if got := ids(k); len(got) != 7 || got[0] != "stuck6" || got[6] != "stuck0" {
		t.Errorf("blockers %v", got)
	}
}

func TestTimesOutOfRangeAreRefused(t *testing.T) {
	s := storetest.Open(t)
	at := time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -5*3600)) // year 10000 in UTC
	if _, err := Complete(s.Begin(ws, start), Completion{TaskID: "a", At: at}); err == nil {
		t.Error("a time that RFC 3339 cannot express was taken")
	}
}

func TestWorkspacesAreApart(t *testing.T) {
	s := storetest.Open(t)
	complete(t, s, Completion{TaskID: "a"}, start)
	c, k, err := List(s.View(ws+1), 10)
	log, err2 := entries(s.View(ws + 1))
	if len(c)+len(k)+len(log) > 0 || err != nil || err2 != nil {
		t.Errorf("the next workspace has %v %v %v, %v %v", c, k, log, err, err2)
	}
}

// TestModel runs changes with times in any order against a plain model.
func TestModel(t *testing.T) {
	s := storetest.Open(t)
	next := store.Workspace(100)
	rapid.Check(t, func(t *rapid.T) {
		next++
		type entry struct {
			id  string
			at  time.Time
			seq int
		}
		var completed []entry
		blocked := map[string]string{}
		changes := rapid.IntRange(1, 140).Draw(t, "changes")
		for seq := range changes {
			id := fmt.Sprint("t", rapid.IntRange(0, 120).Draw(t, "id"))
			at := start.Add(time.Duration(rapid.IntRange(-50, 50).Draw(t, "at")) * time.Second)
			switch rapid.IntRange(0, 9).Draw(t, "change") {
			case 0:
				storetest.ApplyAt(t, s, next, start, func(tx store.Tx) error {
					_, err := Block(tx, id, "because", at)
					return err
				})
				blocked[id] = "because"
			case 1:
				tx := s.Begin(next, start)
				_, err := Unblock(tx, id)
				if _, is := blocked[id]; is != (err == nil) {
					t.Fatalf("unblock %s: %v", id, err)
				}
				if err == nil {
					if err := s.ApplyLater(tx.Batch); err != nil {
						t.Fatal(err)
					}
				}
				delete(blocked, id)
			default:
				storetest.ApplyAt(t, s, next, start, func(tx store.Tx) error {
					_, err := Complete(tx, Completion{TaskID: id, At: at})
					return err
				})
				delete(blocked, id)
				completed = slices.DeleteFunc(completed, func(e entry) bool { return e.id == id })
				completed = append(completed, entry{id, at, seq})
				slices.SortFunc(completed, func(x, y entry) int {
					if c := y.at.Compare(x.at); c != 0 {
						return c
					}
					return y.seq - x.seq
				})
				completed = completed[:min(len(completed), keepCompleted)]
			}
		}
		got, active, err := List(s.View(next), 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(completed) || len(active) != len(blocked) {
			t.Fatalf("%d completed, want %d; %d blockers, want %d", len(got), len(completed), len(active), len(blocked))
		}
		for i, e := range completed {
			if got[i].ID != e.id || !got[i].At.Equal(e.at) {
				t.Fatalf("completed %d is %+v, want %+v", i, got[i], e)
			}
		}
	})
}

func TestHundredKeptLogKeepsAll(t *testing.T) {
	s := storetest.Open(t)
	for i := range 230 {
		complete(t, s, Completion{TaskID: fmt.Sprint("t", i)}, start) // a clock that stands still
	}
	completed, _ := list(t, s, 1000)
	if len(completed) != 100 || completed[0] != "t229" || completed[99] != "t130" {
		t.Errorf("%d kept, from %s to %s", len(completed), completed[0], completed[len(completed)-1])
	}
	log, err := entries(s.View(ws))
	if err != nil || len(log) != 230 {
		t.Fatalf("log has %d, %v", len(log), err)
	}
	for i, e := range log {
		if e.TaskID != fmt.Sprint("t", i) {
			t.Fatalf("entry %d is of %s", i, e.TaskID)
		}
	}
}

func TestLogKeepsOrderWhenTheClockGoesBack(t *testing.T) {
	s := storetest.Open(t)
	complete(t, s, Completion{TaskID: "first"}, start)
	complete(t, s, Completion{TaskID: "second"}, start.Add(-time.Hour))
	log, err := entries(s.View(ws))
	if err != nil || len(log) != 2 || log[1].TaskID != "second" {
		t.Errorf("%+v, %v", log, err)
	}
}

func fill(t testing.TB, s *store.Store, prefix string) {
	for i := range 130 {
		c := Completion{TaskID: fmt.Sprint(prefix, i), Intent: "<b> & Ünïcode", RequiresContext: i%2 == 0}
		if i%3 == 0 {
			c.Validation = &Validation{Success: i%2 == 0, Notes: "n"}
		}
		block(t, s, c.TaskID, "stuck", time.Time{}, start)
		complete(t, s, c, start.Add(time.Duration(i%7)*time.Nanosecond))
	}
	block(t, s, prefix+"x", "open", start.Add(-time.Hour), start)
}

func TestExportImportExport(t *testing.T) {
	a, b := storetest.Open(t), storetest.Open(t)
	fill(t, a, "t")
	want := storetest.Export(t, a.View(ws), Export)
	storetest.Import(t, b, 9, want, Import)
	if got := storetest.Export(t, b.View(9), Export); !bytes.Equal(got, want) {
		t.Errorf("export of the import differs:\n%s\nwant\n%s", got, want)
	}
	storetest.Import(t, b, 9, want, Import)
	if got := storetest.Export(t, b.View(9), Export); !bytes.Equal(got, want) {
		t.Error("importing twice changed something")
	}
	// An imported workspace continues like the exported one.
	for _, s := range []struct {
		s  *store.Store
		ws store.Workspace
	}{{a, ws}, {b, 9}} {
		storetest.ApplyAt(t, s.s, s.ws, start, func(tx store.Tx) error {
			_, err := Complete(tx, Completion{TaskID: "tx"})
			return err
		})
	}
	if !bytes.Equal(storetest.Export(t, a.View(ws), Export), storetest.Export(t, b.View(9), Export)) {
		t.Error("the stores part after the same change")
	}
}

func TestImportJoins(t *testing.T) {
	a, b := storetest.Open(t), storetest.Open(t)
	fill(t, a, "a")
	fill(t, b, "b") // the same positions in its log as in a's
	storetest.Import(t, b, ws, storetest.Export(t, a.View(ws), Export), Import)
	once := storetest.Export(t, b.View(ws), Export)
	storetest.Import(t, b, ws, storetest.Export(t, a.View(ws), Export), Import)
	if !bytes.Equal(storetest.Export(t, b.View(ws), Export), once) {
		t.Error("importing twice changed something")
	}
	log, err := entries(b.View(ws))
	if err != nil || len(log) != 2*261 {
		t.Errorf("log has %d entries, want %d, %v", len(log), 2*261, err)
	}
	completed, blockers := list(t, b, 1000)
	if len(completed) != 100 || !slices.Equal(blockers, []string{"ax", "bx"}) && !slices.Equal(blockers, []string{"bx", "ax"}) {
		t.Errorf("%d completed, blockers %v", len(completed), blockers)
	}
}

func TestImportDoesNotBringBackBlockers(t *testing.T) {
	s := storetest.Open(t)
	block(t, s, "a", "r", time.Time{}, start)
	before := storetest.Export(t, s.View(ws), Export)
	complete(t, s, Completion{TaskID: "a"}, start.Add(time.Hour))
	storetest.Import(t, s, ws, before, Import)
	if _, blockers := list(t, s, 10); len(blockers) > 0 {
		t.Errorf("blockers %v", blockers)
	}
}

func TestImportRefuses(t *testing.T) {
	s := storetest.Open(t)
	for _, line := range []string{
		``, `{`, `[]`, `{"type":"note"}`, `{"type":"task"}`,
		`{"type":"task","taskId":"a","state":"gone","at":"2026-01-01T00:00:00Z","number":1}`,
		`{"type":"task","taskId":"a","state":"blocked","at":"2026-01-01T00:00:00Z","number":1}`,
		`{"type":"task","taskId":"a","state":"completed","at":"yesterday","number":1}`,
		`{"type":"task","taskId":"a","state":"completed","at":"2026-01-01T00:00:00Z","number":1,"more":1}`,
		`{"type":"task","taskId":"a","state":"completed","at":"2026-01-01T00:00:00Z","number":1} {}`,
		`{"type":"audit","taskId":"a","action":"complete","at":"2026-01-01T00:00:00Z","number":1}`,
		`{"type":"audit","taskId":"a","action":"x","at":"2026-01-01T00:00:00Z","recordedAt":"2026-01-01T00:00:00Z","number":1}`,
	} {
		if err := storetest.AddLine(s, ws, line, Import); err == nil {
			t.Errorf("taken: %s", line)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	s := storetest.Open(b)
	fill(b, s, "t")
	for i := 0; b.Loop(); i++ {
		complete(b, s, Completion{TaskID: fmt.Sprint("u", i), Intent: "x", RequiresContext: true}, start.Add(time.Minute))
	}
}

func BenchmarkForBundle(b *testing.B) {
	s := storetest.Open(b)
	fill(b, s, "t")
	for b.Loop() {
		if _, _, err := ForBundle(s.View(ws)); err != nil {
			b.Fatal(err)
		}
	}
}
