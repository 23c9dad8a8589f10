//go:build linux

package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// message is a message of a conversation, in its JSON form.
type message struct {
	ID      string `json:"id,omitempty"`
	Role    string `json:"role"`
	Content string `json:"content"`
	At      string `json:"at"`
}

// Words are as frequent as in English: the commonest are English words, which nobody searches for,
// and the others are made up.
const vocabulary = 20_000

var commonest = strings.Fields(`the of to and a in is it for that you on with this as be are not or we have from but at
	by if can so what how then when there which an will do was all one should has they would`)

// speaker makes text, always the same for a seed.
type speaker struct {
	rand  *rand.Rand
	zipf  *rand.Zipf
	words []string
	now   time.Time // of the next message
	said  int       // turns
}

func newSpeaker(seed uint64) *speaker {
	r := rand.New(rand.NewPCG(seed, 1))
	// The words are the same for every seed.
	syllables := rand.New(rand.NewPCG(20, 26))
	words, seen := append([]string(nil), commonest...), map[string]bool{}
	for len(words) < vocabulary {
		var b strings.Builder
		for range 2 + syllables.IntN(3) {
			b.WriteByte("bcdfghjklmnprstvwz"[syllables.IntN(18)])
			b.WriteByte("aeiou"[syllables.IntN(5)])
		}
		b.WriteByte("bdgklmnprtx"[syllables.IntN(11)])
		if w := b.String(); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	// Word k has a frequency of about 1 in k + 2.7 (Zipf and Mandelbrot).
	return &speaker{
		rand: r, zipf: rand.NewZipf(r, 1.05, 2.7, vocabulary-1), words: words,
		now: time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC),
	}
}

func (s *speaker) word() string { return s.words[s.zipf.Uint64()] }

// rare returns a word that carries information.
func (s *speaker) rare() string { return s.words[200+s.rand.IntN(5000)] }

// sentence contains a name or a path now and then, as talk about programs does.
func (s *speaker) sentence(end string) string {
	words := make([]string, 5+s.rand.IntN(12))
	for i := range words {
		words[i] = s.word()
	}
	switch s.rand.IntN(8) {
	case 0:
		other := s.rare()
		words[len(words)-1] = s.rare() + strings.ToUpper(other[:1]) + other[1:]
	case 1:
		words[len(words)-1] = fmt.Sprintf("internal/%s/%s.go", s.rare(), s.rare())
	case 2:
		words[len(words)/2] = "`" + s.rare() + "()`"
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ") + end
}

// text returns about n sentences.
func (s *speaker) text(sentences int, end string) string {
	var parts []string
	for range max(1, sentences/2+s.rand.IntN(sentences+1)) {
		parts = append(parts, s.sentence("."))
	}
	return strings.Join(parts, " ") + " " + s.sentence(end)
}

// turn returns a question and its answer, together about two hundred words with sentences = 10. A
// day has 25 of them.
func (s *speaker) turn(sentences int) []message {
	if s.said%25 == 24 {
		s.now = s.now.Add(14 * time.Hour)
	}
	s.now = s.now.Add(time.Minute)
	s.said++
	at := s.now.Format(time.RFC3339)
	return []message{
		{Role: "user", Content: s.text(max(1, sentences/3), "?"), At: at},
		{Role: "assistant", Content: s.text(sentences, "."), At: at},
	}
}

// question asks about a possible statement.
func (s *speaker) question() string {
	return []func() string{
		func() string { return fmt.Sprintf("what did we decide about %s and %s?", s.rare(), s.rare()) },
		func() string { return fmt.Sprintf("where did I mention the %s %s?", s.rare(), s.rare()) },
		func() string {
			return fmt.Sprintf("Why should the %s of %s have %s, and what was wrong with %s?", s.rare(), s.rare(), s.rare(), s.rare())
		},
		func() string { return s.sentence("?") },
		func() string { return s.rare() },
	}[s.rand.IntN(5)]()
}

func TestSpeaker(t *testing.T) {
	a, b, c := newSpeaker(1), newSpeaker(1), newSpeaker(2)
	words, different := 0, 0
	for range 200 {
		x, y, z := a.turn(10), b.turn(10), c.turn(10)
		if x[0] != y[0] || x[1] != y[1] {
			t.Fatalf("one seed gives %q and %q", x, y)
		}
		if x[1].Content != z[1].Content {
			different++
		}
		words += len(strings.Fields(x[0].Content)) + len(strings.Fields(x[1].Content))
	}
	if different < 199 {
		t.Errorf("two seeds differ in %d turns of 200", different)
	}
	if mean := words / 200; mean < 120 || mean > 280 {
		t.Errorf("a turn has %d words on average, want about 200", mean)
	}
	if end := a.now.Sub(newSpeaker(1).now); end < 3*24*time.Hour {
		t.Errorf("200 turns last %v, want several days", end)
	}
}
