package swarm

import (
	"slices"
	"testing"
)

// FuzzAnswer checks that any answer keeps what the prompt names, gives each item one of the
// formats, and never empties a share.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		`{"keep":[1,3]}`, `{"keep":[]}`, `{"keep":[9]}`, `{"keep":null}`, `{"keep":[1e0]}`, `{"keep":[1.5]}`, `{"keep":[99999999999999999999]}`, `[]`, ``,
		`{"full":[1,2],"summary":[3],"tickler":[2],"board":[1,2,3,4]}`, `{"full":[6],"board":[6]}`, `{"keep":[1],"keep":[2]}`, `{"KEEP":[1]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		chat := &scripted{identity: "m", answer: saying(text)}
		s := newSwarm(t, chat, Options{})
		items := shelf()
		filtered := s.Filter(t.Context(), "what", items)
		if len(filtered.Keep) != len(items) || !filtered.Keep[5] || !slices.Contains(filtered.Keep[:5], true) {
			t.Errorf("%q filters %v", text, filtered.Keep)
		}
		judged := s.Judge(t.Context(), "what", items, Room{})
		if judged.Verdicts == nil {
			if len(judged.Degraded) != 1 {
				t.Errorf("%q falls back and says %v", text, judged.Degraded)
			}
			return
		}
		for i, v := range judged.Verdicts {
			known := slices.Contains([]Format{"", Full, Summary, Tickler}, v.Format)
			if !known || v.Board && (v.Format == "" || i > 2) || i == 5 && v.Format == "" {
				t.Errorf("%q judges %d as %+v", text, i, v)
			}
		}
	})
}
