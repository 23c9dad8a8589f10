package retrieve

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPaysModel checks that the embedded model has this program's inputs, that others are refused,
// and that it can be written and read again.
func TestPaysModel(t *testing.T) {
	m, err := loadPays(paysJSON)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(m.About, "go run ./cmd/train pays") || len(m.Curve) == 0 {
		t.Errorf("it was fitted by %q, with a curve of %d points", m.About, len(m.Curve))
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := loadPays(b); err != nil || again.Weights != m.Weights || again.Bias != m.Bias {
		t.Errorf("written and read again it is %+v, %v", again, err)
	}
	for name, file := range map[string]string{
		"fewer inputs":  strings.Replace(string(b), `"known":`, `"unknown":`, 1),
		"another input": strings.Replace(string(b), `"known":`, `"older":1,"known":`, 1),
		"no model":      "[]",
	} {
		if _, err := loadPays([]byte(file)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestPays checks that names of places pay for a question about the workspace, less after a long
// conversation, and never for a prompt about something else.
func TestPays(t *testing.T) {
	s := open(t)
	pays := func(prompt string, messages int) float64 {
		return ask(s, prompt, func(r *Request) { r.Messages = messages }).Pays
	}
	asked := pays("where is the ledger opened?", 0)
	if later := pays("where is the ledger opened?", 60); asked <= later {
		t.Errorf("a question is worth %v at first and %v after a long conversation", asked, later)
	}
	if other := pays("who painted the girl with a pearl earring?", 0); other != 0 || asked == 0 {
		t.Errorf("a question about something else is worth %v, one about the workspace %v", other, asked)
	}
}
