package retrieve

import (
	"slices"
	"testing"
)

// TestReasons checks that a result has its reasons in words: what the prompt names, then which of
// its words match.
func TestReasons(t *testing.T) {
	s := open(t)
	for _, tt := range []struct{ name, prompt, path, first string }{
		{"a definition, by a question", "what does openLedger do?", "ledger/open.go", "defines openLedger, which the question names"},
		{"a definition, by a prompt", "rename openLedger", "ledger/open.go", "defines openLedger, which the prompt names"},
		{"a file", "explain cache/cache.go", "cache/cache.go", "is in cache/cache.go, which the prompt names"},
		{"a place", "ledger/open.go:9:2: undefined: x", "ledger/open.go", "the prompt points at this place in ledger/open.go"},
		{"a message", "error: ledger is sealed since yesterday", "ledger/journal.go", "holds the message that the prompt quotes"},
		{"its words, the rarest", "where are balances reconciled at night?", "jobs/nightly.go", "keyword match: balances, reconciled, night"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ask(s, tt.prompt)
			at := firstOf(s, r, tt.path)
			if at < 0 || r.Candidates[at].Reasons[0] != tt.first {
				t.Fatalf("%s is there at %d: %q, want %q", tt.path, at, r.Candidates[max(at, 0)].Reasons, tt.first)
			}
			for _, c := range r.Candidates {
				if len(c.Reasons) == 0 || slices.Contains(c.Reasons, "") {
					t.Errorf("%s gives no reason: %q", s.Chunk(c.Chunk).Path, c.Reasons)
				}
			}
		})
	}
}
