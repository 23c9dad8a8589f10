// Package episode condenses conversations over time: the sittings of conversations become
// episodes, each about one matter, and the weightiest episodes of a month become its history.
//
// Every level consists of quotations and links: what was decided, what stayed open, what went wrong
// and what helped, each a sentence byte for byte with its turn, and the files that went with it.
// Nothing is reworded.
//
// [Build] makes episodes of sittings, [History] months of episodes, [NewIndex] what finds them. The
// package is pure: no storage, no clock. A sitting joins an episode by what was there before it, so
// that later sittings leave earlier episodes as they are.
package episode

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Part says what a quotation tells of its episode.
type Part string

// The parts of an episode.
const (
	Decided Part = "decided"
	Open    Part = "open"   // a question that nobody answered
	Wrong   Part = "wrong"  // what did not work
	Worked  Part = "worked" // what helped then
	Stated  Part = "stated" // what a person said beside, which may be any of those
)

// Note is a sentence of a message, byte for byte.
type Note struct {
	Part         Part      `json:"part,omitempty"`
	Text         string    `json:"text"`
	Conversation string    `json:"conversation"`
	Turn         string    `json:"turn"` // "T-7"
	Message      string    `json:"message,omitempty"`
	At           time.Time `json:"at"`
	Author       string    `json:"author,omitempty"`
	// Score is how surely it is what its part says, 0 to 1.
	Score float64 `json:"score,omitempty"`
	// Replaced says that something later was decided instead.
	Replaced bool `json:"replaced,omitempty"`
}

// Source names the note's turn: "<conversation>/T-7".
func (n *Note) Source() string { return n.Conversation + "/" + n.Turn }

// Word is a word that a sitting is about, in small letters.
type Word struct {
	Text   string  `json:"t"`
	Weight float64 `json:"w"`
}

// Span is a run of turns of one conversation; To is included.
type Span struct {
	Conversation string `json:"conversation"`
	From         int    `json:"from"`
	To           int    `json:"to"`
}

// Sitting is what is kept of a run of turns of a conversation without a long break.
type Sitting struct {
	Span
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	Title Note      `json:"title"`
	Notes []Note    `json:"notes,omitempty"` // in order
	Words []Word    `json:"words,omitempty"` // the heaviest first
	Files []string  `json:"files,omitempty"` // the most mentioned first
}

// Episode is one or several sittings about one matter.
type Episode struct {
	ID    string    `json:"id"`
	Title Note      `json:"title"`
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	Spans []Span    `json:"spans"` // in order of time
	Notes []Note    `json:"notes,omitempty"`
	Words []string  `json:"words,omitempty"`
	Files []string  `json:"files,omitempty"`
	// Weight among the episodes: how much was settled in it.
	Weight float64 `json:"weight"`
}

// Bounds of an episode.
const (
	mostNotes    = 14
	mostWords    = 16
	mostFiles    = 8
	mostSittings = 12
	together     = 10 * 24 * time.Hour // the longest break within an episode
	sameMatter   = .3                  // the likeness of words from which a sitting goes on with an episode
)

// building is an episode that sittings may still join.
type building struct {
	Episode
	sittings []*Sitting
	words    map[string]float64
	square   float64 // of the length of words, as a vector
}

// Options are what Build needs beside the sittings.
type Options struct {
	// Replaced returns the conversation in which something was decided instead of what a decision
	// says; ok is false where nothing was. nil = nothing ever was.
	Replaced func(text string) (conversation string, ok bool)
	// Pause is called often; its error ends Build. nil = never.
	Pause func() error
}

// Build makes the episodes of sittings, in order of time. A decision counts as replaced where the
// episode that replaced it is about the same matter: people settle like things in like words
// elsewhere.
func Build(sittings []Sitting, o Options) ([]Episode, error) {
	order := make([]*Sitting, len(sittings))
	for i := range sittings {
		order[i] = &sittings[i]
	}
	slices.SortFunc(order, func(a, b *Sitting) int {
		return cmp.Or(a.Begin.Compare(b.Begin), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.From, b.From))
	})
	var open, all []*building
	in := map[string]int{} // sittings before this one that have a word
	for n, s := range order {
		if o.Pause != nil {
			if err := o.Pause(); err != nil {
				return nil, err
			}
		}
		open = slices.DeleteFunc(open, func(e *building) bool { return s.Begin.Sub(e.End) > together || len(e.sittings) >= mostSittings })
		words := weigh(s.Words, in, n)
		e := closest(open, words)
		if e == nil {
			e = &building{Episode: Episode{ID: idOf(s.Span), Begin: s.Begin}, words: map[string]float64{}}
			open, all = append(open, e), append(all, e)
		}
		e.add(s, words)
		for _, w := range s.Words {
			in[w.Text]++
		}
	}
	by := map[string][]*building{} // by conversation
	for _, e := range all {
		for _, s := range e.sittings {
			by[s.Conversation] = append(by[s.Conversation], e)
		}
	}
	out := make([]Episode, len(all))
	for i, e := range all {
		out[i] = e.finish(func(text string) bool {
			if o.Replaced == nil {
				return false
			}
			c, ok := o.Replaced(text)
			return ok && slices.ContainsFunc(by[c], e.isLike)
		})
	}
	out = slices.DeleteFunc(out, func(e Episode) bool { return e.Title.Text == "" }) // in which nobody said anything that lasts
	return out, nil
}

// isLike reports whether two episodes are about one matter.
func (e *building) isLike(other *building) bool {
	dot := 0.0
	for _, w := range topOf(e.words, mostWords) {
		dot += e.words[w] * other.words[w]
	}
	return e == other || dot >= sameMatter*math.Sqrt(e.square*other.square)
}

// idOf stands for the sitting that an episode begins with.
func idOf(s Span) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", s.Conversation, s.From))
	return "episode-" + hex.EncodeToString(sum[:6])
}

// weigh weighs the words of a sitting by how few of the n sittings before have them.
func weigh(words []Word, in map[string]int, n int) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = Word{w.Text, w.Weight * math.Log(1+float64(n+1)/float64(in[w.Text]+1))}
	}
	return out
}

// closest is the episode that a sitting goes on with, nil where there is none.
func closest(open []*building, words []Word) *building {
	square := 0.0
	for _, w := range words {
		square += w.Weight * w.Weight
	}
	var best *building
	most := sameMatter
	for _, e := range open {
		dot := 0.0
		for _, w := range words {
			dot += w.Weight * e.words[w.Text]
		}
		if dot == 0 {
			continue
		}
		if like := dot / math.Sqrt(square*e.square); like >= most {
			best, most = e, like
		}
	}
	return best
}

func (e *building) add(s *Sitting, words []Word) {
	e.sittings = append(e.sittings, s)
	if s.End.After(e.End) {
		e.End = s.End
	}
	for _, w := range words {
		old := e.words[w.Text]
		e.words[w.Text] = old + w.Weight
		e.square += w.Weight * (2*old + w.Weight)
	}
}

// finish takes the notes, the words and the files of the sittings together.
func (e *building) finish(replaced func(string) bool) Episode {
	out := e.Episode
	out.Words = topOf(e.words, mostWords)
	files, seen := map[string]float64{}, map[string]bool{}
	var notes []Note
	for _, s := range e.sittings {
		out.Spans = append(out.Spans, s.Span)
		for i, f := range s.Files {
			files[f] += 1 / float64(i+1)
		}
		for _, n := range s.Notes {
			if key := strings.Join(strings.Fields(n.Text), " "); !seen[key] {
				seen[key] = true
				n.Replaced = n.Part == Decided && replaced(n.Text)
				notes = append(notes, n)
			}
		}
	}
	out.Files = topOf(files, mostFiles)
	out.Notes = weightiest(notes, mostNotes)
	if out.Title = e.title(); out.Title.Text == "" && len(out.Notes) > 0 { // nobody said what it is about
		out.Title = weightiest(out.Notes, 1)[0]
		out.Title.Part = ""
	}
	for _, n := range notes {
		switch {
		case n.Replaced:
			out.Weight += .2
		case n.Part == Open:
			out.Weight += .3
		default:
			out.Weight += n.Score
		}
	}
	turns := 0
	for _, s := range out.Spans {
		turns += s.To - s.From + 1
	}
	out.Weight = math.Round((out.Weight+.3*math.Log1p(float64(turns)))*1e3) / 1e3
	return out
}

// title is the sitting's title that has most of the words that the episode is about.
func (e *building) title() Note {
	best, most := Note{}, -1.0
	for _, s := range e.sittings {
		score, text := 0.0, strings.ToLower(s.Title.Text)
		for _, w := range slices.Sorted(maps.Keys(e.words)) {
			if strings.Contains(text, w) {
				score += e.words[w]
			}
		}
		if s.Title.Text != "" && score > most+1e-9 {
			best, most = s.Title, score
		}
	}
	return best
}

// weightiest are the notes with the highest scores, in their order.
func weightiest(notes []Note, most int) []Note {
	if len(notes) <= most {
		return notes
	}
	at := make([]int, len(notes))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(notes[b].Score, notes[a].Score) })
	at = at[:most]
	slices.Sort(at)
	out := make([]Note, most)
	for i, k := range at {
		out[i] = notes[k]
	}
	return out
}

// topOf are the keys with the highest weights.
func topOf(weights map[string]float64, most int) []string {
	var out []string
	for w := range weights {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b string) int {
		// Sums differ in their last digits by the order of a map.
		return cmp.Or(cmp.Compare(math.Round(weights[b]*1e6), math.Round(weights[a]*1e6)), cmp.Compare(a, b))
	})
	return out[:min(len(out), most)]
}

// Said names what a note tells: its part, or "replaced" for a decision that holds no more.
func Said(n *Note) string {
	if n.Replaced {
		return "replaced"
	}
	return string(n.Part)
}
