package memory

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// linesOf returns the lines of a workspace's export.
func linesOf(t testing.TB, w *Workspace) string {
	t.Helper()
	v := w.View()
	defer v.Close()
	var b bytes.Buffer
	if err := v.Export(&b); err != nil {
		t.Fatalf("export: %v", err)
	}
	return b.String()
}

// shelfOf opens memories for any number of workspaces: a store for each would take too long, and
// one for all would grow without bound.
type shelfOf struct {
	dir   string
	m     *Memory
	count int
}

// perMemory is how many workspaces one memory gets before the next is opened.
const perMemory = 200

func (s *shelfOf) next(t testing.TB) *Workspace {
	if s.m == nil || s.count%perMemory == 0 {
		s.close(t)
		s.m = opened(t, filepath.Join(s.dir, fmt.Sprint(s.count)))
	}
	s.count++
	w, err := s.m.Workspace(t.Context(), fmt.Sprint("/r", s.count))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (s *shelfOf) close(t testing.TB) {
	if s.m == nil {
		return
	}
	if err := s.m.Close(); err != nil {
		t.Error(err)
	}
}

const exportHead = `{"type":"contexture-memory","version":1}` + "\n"

// importSeeds are files as written by export, and edited ones.
var importSeeds = []string{
	"",
	exportHead,
	exportHead + `{"type":"conversation","conversation":"a","title":"t"}
{"type":"messages","conversation":"a","messages":[{"role":"user","content":"Use tabs, never spaces.","id":"m0","at":"2026-05-04T03:02:01Z"},{"role":"assistant","content":"Done: tabs.","id":"m1","at":"2026-05-04T03:02:02Z","toolCalls":[{"name":"run","arguments":{"x":[1,null]},"result":"ok"}]}]}
{"type":"conversation","conversation":"b","fork":{"of":"a","messages":1}}
{"type":"messages","conversation":"b","from":1,"messages":[{"role":"user","content":"Or not?","id":"","at":"2026-05-04T03:02:03Z","uris":["file:///r/a.go"],"symbols":["f"]}]}
`,
	exportHead + `{"type":"conversation","conversation":"c"}
{"type":"messages","conversation":"c","messages":[{"role":"user","content":"","id":"","at":"2026-05-04T03:02:01Z","forgotten":true},{"role":"user","content":"x","id":"x","at":"0001-01-01T00:00:00Z"}]}
{"type":"messages","conversation":"c","from":2,"messages":[{"role":"tool","content":"x","id":"x","at":"2026-05-04T03:02:01Z"}]}
`,
	exportHead + `{"type":"knowledge","id":"k","kind":"rule","title":"Tabs","content":"Always use tabs.","topics":["style"],"keywords":[],"weight":1,"sourceTurns":[],"createdAt":"2026-05-04T03:02:01Z","updatedAt":"2026-05-04T03:02:01Z"}
{"type":"task","taskId":"t","state":"completed","success":true,"at":"2026-05-04T03:02:01Z","number":1}
{"type":"task","taskId":"u","state":"blocked","reason":"r","at":"2026-05-04T03:02:01Z","recordedAt":"2026-05-04T03:02:01Z","number":2}
{"type":"audit","number":1,"taskId":"t","event":"completed","at":"2026-05-04T03:02:01Z"}
{"type":"board","conversationId":"a","item":{"id":"B-1","type":"note","title":"t","content":"c","expiresAfterTurn":3}}
{"type":"cabinet","fileKey":"k","title":"t","content":"text","savedAt":"2026-05-04T03:02:01Z","usedAt":"2026-05-04T03:02:01Z"}
{"type":"usage","id":"i","at":"2026-05-04T03:02:01Z","count":1,"sum":0.5}
`,
	exportHead + exportHead,
	exportHead + "{}\n", "[]\n", "\n\n null \n", `{"type":"diary"}`, `{"type":"conversation","conversation":"a","extra":1}`,
	`{"type":"messages","conversation":"nobody","messages":[{"role":"user","content":"x"}]}`,
	`{"type":"conversation","conversation":"a"}` + "\n" + `{"type":"messages","conversation":"a","messages":[{"role":"user","content":"x"},{"role":"user","content":"x"}]}`,
}

// FuzzImport checks that an import is all or nothing, that importing twice equals importing once,
// and that its result can be exported, imported elsewhere and exported again as the same bytes.
func FuzzImport(f *testing.F) {
	for _, text := range importSeeds {
		f.Add(text)
	}
	s := &shelfOf{dir: f.TempDir()}
	f.Cleanup(func() { s.close(f) })
	f.Fuzz(func(t *testing.T, text string) {
		w := s.next(t)
		empty := linesOf(t, w)
		if _, err := w.Import(strings.NewReader(text)); err != nil {
			if got := linesOf(t, w); got != empty {
				t.Fatalf("%v, and the memory holds\n%s", err, got)
			}
			return
		}
		first := linesOf(t, w)
		if _, err := w.Import(strings.NewReader(text)); err != nil {
			t.Fatalf("the same again: %v", err)
		}
		if again := linesOf(t, w); again != first {
			t.Fatalf("imported twice it is\n%snot\n%s", again, first)
		}
		other := s.next(t)
		if _, err := other.Import(strings.NewReader(first)); err != nil {
			t.Fatalf("an export is refused: %v\n%s", err, first)
		}
		if second := linesOf(t, other); second != first {
			t.Fatalf("exported, imported and exported it is\n%snot\n%s", second, first)
		}
	})
}
