package recall

import (
	"context"
	"strings"
	"testing"
)

// TestLaterStatementFirst checks that of two statements about one thing the later comes first, with
// its date, in any language, and that the order in time alone changes nothing.
func TestLaterStatementFirst(t *testing.T) {
	for _, c := range []struct{ earlier, later, query, first string }{
		{"The staging database is on port 5433.", "The staging database is now on port 6001, not 5433.", "which port is the staging database on?", "6001"},
		{"We deploy the gateway to Oslo.", "From now on we deploy the gateway to Madrid instead of Oslo.", "where do we deploy the gateway?", "Madrid"},
		{"Die Testdatenbank läuft auf Port 5433.", "Die Testdatenbank läuft jetzt auf Port 6001 und nicht mehr auf 5433.", "Auf welchem Port läuft die Testdatenbank?", "6001"},
		{"The export for Leipzig fails at night.", "The export for Bergen fails at night.", "the export for Leipzig fails at night", "Leipzig"},
		{"The importer keeps its queue in Redis, with a limit of 40 jobs.", "The importer was rewritten.", "where does the importer keep its queue?", "Redis"},
	} {
		got, err := Build(context.Background(), Request{Query: c.query, Budget: 400, MemoryType: "turn"}, dialog(t, 2, c.earlier, "Noted.", c.later, "Noted."))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Items) == 0 || !strings.Contains(got.Items[0].Body, c.first) || !strings.Contains(got.Text, `date="2026-03-0`) {
			t.Errorf("%q: %q is not first in\n%s", c.query, c.first, got.Text)
		}
	}
}
