// Package secrets finds keys, tokens and passwords in texts and takes them out.
//
// Whatever the program stores passes [Scanner.Redact] before. The rules are gitleaks' own, as its
// release has them, and some of ours for what those miss: passwords in addresses, connection
// strings and short assignments, headers, and anything that stands escaped inside a JSON string.
//
// gitleaks' engine runs each rule over the whole text when one of its keywords is anywhere in it,
// at half a megabyte a second on Go code. This one looks for all keywords in one pass (words.go),
// asks at each whether its surroundings can hold a secret at all, and only then shows the rule's
// expression a window of some hundred bytes (window.go). What it finds in a window is what
// gitleaks' engine finds there: entropy, allow lists, and the `gitleaks:allow` comment count as
// they do in the library.
//
// Entropy is Shannon's, in bits a character, over the characters of the secret itself (Shannon
// 1948; the library's `detect/utils.go`). The library's rules carry their own thresholds; what ours
// ask for stands with them (judge.go).
package secrets

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// version counts the changes of the rules of our own and of the engine.
const version = 2

// maxRounds bounds how often a text is looked at again after something was taken out of it. Taking
// a secret out gives its neighbours new surroundings, so that one of them may show only then; texts
// that were not made for it need two.
const maxRounds = 8

// Scanner takes secrets out of texts. It does not change once it is made, and any number of
// goroutines may use it.
type Scanner struct {
	permits permits
	vocab   *vocabulary
	id      string
}

// Finding is one secret: which rule found it, and its bytes in the text that was given.
type Finding struct {
	Rule       string
	Start, End int
}

// New makes a scanner. allow lists what it leaves alone: regular expressions over the text found,
// or `rule:<id>` for all that one rule finds; a rule of that name need not exist. The error is
// about an expression that does not compile.
func New(allow []string) (*Scanner, error) {
	p, err := newPermits(allow)
	if err != nil {
		return nil, err
	}
	sum := xxh3.HashString(strings.Join(allow, "\x00"))
	return &Scanner{permits: p, vocab: shared(), id: fmt.Sprintf("%s/%d/%016x", libraryVersion, version, sum)}, nil
}

// ID names the rules and the allow list. Scanners of the same ID answer alike, so that what one of
// them let through need not be looked at again until the ID changes.
func (s *Scanner) ID() string { return s.id }

// Redact returns text with `[REDACTED:<rule>]` in the place of each secret, and what it found, in
// the order of the text and without overlaps. The newlines within a secret are kept behind the
// mark, so that every line keeps its number. Text without secrets is returned as it is, and what is
// returned has none: redacting it again changes nothing. Valid UTF-8 stays valid. The time is
// linear in the text's length.
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

// apart sorts findings. Those of a later look may reach into what an earlier one took out: they
// give way.
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

// RedactBytes is [Scanner.Redact] for bytes: the slice itself where nothing is found, otherwise a
// new one.
func (s *Scanner) RedactBytes(text []byte) ([]byte, []Finding) {
	// The string shares the bytes for the length of this call only.
	clean, found := s.Redact(unsafe.String(unsafe.SliceData(text), len(text)))
	if len(found) == 0 {
		return text, nil
	}
	return []byte(clean), found
}
