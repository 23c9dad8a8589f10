// Package secrets finds keys, tokens and passwords in texts and redacts them.
//
// Everything that the program stores passes through [Scanner.Redact] first. The rules are gitleaks'
// own, unchanged from its release, and additional ones for what those miss: passwords in addresses,
// connection strings and short assignments, headers, and anything escaped inside a JSON string.
//
// gitleaks' engine runs each rule over the whole text if one of its keywords occurs in it, at half
// a megabyte per second on Go code. This package searches for all keywords in one pass (words.go),
// checks at each whether its surroundings can contain a secret at all, and only then runs the
// rule's expression on a window of some hundred bytes (window.go). In a window it finds what
// gitleaks' engine finds there: entropy, allow lists, and the `gitleaks:allow` comment have the
// same effect as in the library.
//
// Entropy is Shannon's, in bits per character, over the characters of the secret itself (Shannon
// 1948; the library's `detect/utils.go`). The library's rules carry their own thresholds; those of
// the additional rules are in judge.go.
package secrets

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// version counts the changes of this package's own rules and of the engine.
const version = 3

// maxRounds limits how often a text is scanned again after a redaction. A redaction changes the
// surroundings of adjacent secrets, so that one of them may be found only then; texts that were not
// crafted for it need two rounds.
const maxRounds = 8

// Scanner redacts secrets in texts. It is immutable and safe for concurrent use.
type Scanner struct {
	permits permits
	vocab   *vocabulary
	id      string
}

// Finding is one secret: the rule that found it, and its bytes in the original text.
type Finding struct {
	Rule       string
	Start, End int
}

// New returns a scanner. allow lists what it does not redact: regular expressions over the text
// found, or `rule:<id>` for everything that one rule finds; a rule of that name need not exist. The
// error reports an expression that does not compile.
func New(allow []string) (*Scanner, error) {
	p, err := newPermits(allow)
	if err != nil {
		return nil, err
	}
	sum := xxh3.HashString(strings.Join(allow, "\x00"))
	return &Scanner{permits: p, vocab: shared(), id: fmt.Sprintf("%s/%d/%016x", libraryVersion, version, sum)}, nil
}

// ID identifies the rules and the allow list. Scanners with the same ID return the same results, so
// that a text that one of them has passed need not be scanned again until the ID changes.
func (s *Scanner) ID() string { return s.id }

// Redact returns text with `[REDACTED:<rule>]` in place of each secret, and the findings, in the
// order of the text and without overlaps. The newlines within a secret are kept after the mark, so
// that every line keeps its number. Text without secrets is returned unchanged, and the result
// contains none: redacting it again changes nothing. Valid UTF-8 stays valid. The time is linear in
// the text's length.
func (s *Scanner) Redact(text string) (string, []Finding) {
	found := s.scan(text)
	if len(found) == 0 {
		return text, nil
	}
	var all []Finding
	origin := offsets{{}}
	for range maxRounds {
		var next strings.Builder
		next.Grow(len(text) + 32*len(found))
		var moved offsets
		at := 0
		for _, f := range found {
			moved.copy(origin, at, f.Start, next.Len())
			next.WriteString(text[at:f.Start])
			first, last := origin.of(f.Start), origin.of(f.End-1)+1
			all = append(all, Finding{f.Rule, first, last})
			moved.mark(next.Len(), first)
			next.WriteString(markOpen + f.Rule + markClose)
			next.WriteString(strings.Repeat("\n", strings.Count(text[f.Start:f.End], "\n")))
			at = f.End
		}
		moved.copy(origin, at, len(text), next.Len())
		next.WriteString(text[at:])
		text, origin = next.String(), moved
		if found = s.scan(text); len(found) == 0 {
			break
		}
	}
	return text, apart(all)
}

// apart sorts findings. A finding of a later round may overlap an earlier redaction: it is then
// shortened, or dropped if nothing remains.
func apart(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int { return a.Start - b.Start })
	out, at := all[:0], 0
	for _, f := range all {
		if f.Start = max(f.Start, at); f.Start < f.End {
			out, at = append(out, f), f.End
		}
	}
	return out
}

// RedactBytes is [Scanner.Redact] for bytes: it returns the slice itself if nothing is found,
// otherwise a new one.
func (s *Scanner) RedactBytes(text []byte) ([]byte, []Finding) {
	// The string shares the bytes only during this call.
	clean, found := s.Redact(unsafe.String(unsafe.SliceData(text), len(text)))
	if len(found) == 0 {
		return text, nil
	}
	return []byte(clean), found
}
