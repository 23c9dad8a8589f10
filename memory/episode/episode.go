// Package episode condenses conversations over time: sittings become episodes, each about one
// subject, and the weightiest episodes of a month become its history.
//
// Every level consists of quotations and links: what was decided, what stayed open, what went wrong
// and what helped, each quoted byte for byte with its turn, and the files involved. Nothing is
// reworded.
//
// [Build] makes episodes from sittings, [History] months from episodes, and [NewIndex] the index
// that finds them. The package is pure: it has no storage and no clock. Whether a sitting joins an
// episode depends only on earlier sittings, so later ones leave earlier episodes unchanged.
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

// Part is the role of a quotation in its episode.
type Part string

// The parts of an episode.
const (
	Decided Part = "decided"
	Open    Part = "open"   // an unanswered question
	Wrong   Part = "wrong"  // what did not work
	Worked  Part = "worked" // what helped afterwards
	Stated  Part = "stated" // another statement of a person, which may be any of those
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
	// Score is the probability that the note is what its part claims, 0 to 1.
	Score float64 `json:"score,omitempty"`
	// Replaced reports that a later decision replaced this one.
	Replaced bool `json:"replaced,omitempty"`
}

// Source returns the name of the note's turn: "<conversation>/T-7".
func (n *Note) Source() string { return n.Conversation + "/" + n.Turn }

// Word is a word that a sitting is about, in lower case.
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

// Sitting holds what is stored of a run of turns of a conversation without a long break.
type Sitting struct {
	Span
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	Title Note      `json:"title"`
	Notes []Note    `json:"notes,omitempty"` // in order
	Words []Word    `json:"words,omitempty"` // heaviest first
	Files []string  `json:"files,omitempty"` // most mentioned first
}

// Episode is one or several sittings about one subject.
type Episode struct {
	ID    string    `json:"id"`
	Title Note      `json:"title"`
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	Spans []Span    `json:"spans"` // in order of time
	Notes []Note    `json:"notes,omitempty"`
	Words []string  `json:"words,omitempty"`
	Files []string  `json:"files,omitempty"`
	// Weight among the episodes: how much was settled in this one.
	Weight float64 `json:"weight"`
}

// Bounds of an episode.
const (
	mostNotes    = 14
	mostWords    = 16
	mostFiles    = 8
	mostSittings = 12
	together     = 10 * 24 * time.Hour // the longest break within an episode
	sameMatter   = .3                  // the similarity of words for joining an episode
)

// building is an episode that later sittings may still join.
type building struct {
	Episode
	sittings []*Sitting
	words    map[string]float64
	square   float64 // the squared length of words as a vector
}

// Options holds the optional inputs of Build.
type Options struct {
	// Replaced returns the conversation in which a later decision replaced the one that text
	// states; ok is false if none did. nil means that nothing was ever replaced.
	Replaced func(text string) (conversation string, ok bool)
	// Pause is called often; an error it returns ends Build. nil means never.
	Pause func() error
}

// Build returns the episodes of sittings, in order of time. A decision counts as replaced only if
// the episode that replaced it is about the same subject: people settle similar things elsewhere in
// similar words.
func Build(sittings []Sitting, o Options) ([]Episode, error) {
	order := make([]*Sitting, len(sittings))
	for i := range sittings {
		order[i] = &sittings[i]
	}
	slices.SortFunc(order, func(a, b *Sitting) int {
		return cmp.Or(a.Begin.Compare(b.Begin), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.From, b.From))
	})
	var open, all []*building
	in := map[string]int{} // number of earlier sittings with a word
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
	out = slices.DeleteFunc(out, func(e Episode) bool { return e.Title.Text == "" }) // no notes
	return out, nil
}

// isLike reports whether two episodes are about the same subject.
func (e *building) isLike(other *building) bool {
	dot := 0.0
	for _, w := range topOf(e.words, mostWords) {
		dot += e.words[w] * other.words[w]
	}
	return e == other || dot >= sameMatter*math.Sqrt(e.square*other.square)
}

// idOf returns the id of the episode that begins with a span.
func idOf(s Span) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", s.Conversation, s.From))
	return "episode-" + hex.EncodeToString(sum[:6])
}

// weigh returns the words of a sitting weighted by how few of the n earlier sittings contain them.
func weigh(words []Word, in map[string]int, n int) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = Word{w.Text, w.Weight * math.Log(1+float64(n+1)/float64(in[w.Text]+1))}
	}
	return out
}

// closest returns the episode that a sitting continues, or nil.
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

// finish combines the notes, words and files of the sittings.
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
	if out.Title = e.title(); out.Title.Text == "" && len(out.Notes) > 0 { // no sitting has a title
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

// title returns the title of the sitting that contains most of the words the episode is about.
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

// weightiest returns the notes with the highest scores, in their original order.
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

// topOf returns the keys with the highest weights.
func topOf(weights map[string]float64, most int) []string {
	var out []string
	for w := range weights {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b string) int {
		// The last digits of a sum depend on the iteration order of a map.
		return cmp.Or(cmp.Compare(math.Round(weights[b]*1e6), math.Round(weights[a]*1e6)), cmp.Compare(a, b))
	})
	return out[:min(len(out), most)]
}

// Said returns a note's part, or "replaced" for a decision that is no longer active.
func Said(n *Note) string {
	if n.Replaced {
		return "replaced"
	}
	return string(n.Part)
}
