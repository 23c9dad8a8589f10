package knowledge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/episode"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Bounds of the stored data of a sitting.
const (
	sittingBreak  = 6 * time.Hour // the pause between messages that ends a sitting
	sittingNotes  = 10
	sittingWords  = 24
	sittingFiles  = 8
	longestNote   = 400 // bytes
	titleTurns    = 3   // turns from which its title is taken
	decidedNoteAt = .3
	wrongNoteAt   = .5
	notStatedAt   = .4 // the probability of a question or an order from which a sentence is not a statement
	statedShare   = .5 // the weight of an uncertain decision or event
)

// sittingForm must be raised when sittings are made differently, so that a conversation's are made
// again when it is read the next time.
const sittingForm = 1

// storedSittings is the stored record of a conversation's sittings.
type storedSittings struct {
	Form     int               `json:"form"`
	Sittings []episode.Sitting `json:"sittings,omitempty"`
}

// sittingsOf condenses a conversation's own turns. What a fork shares belongs to its ancestor.
func sittingsOf(a *conversationLog, f *facts, lessons []*Item) []episode.Sitting {
	var out []episode.Sitting
	for from := 0; from < len(a.talk); {
		to := from + 1
		for to < len(a.talk) && a.talk[to].Shared == a.talk[from].Shared && begunAt(&a.talk[to]).Sub(endedAt(&a.talk[to-1])) < sittingBreak {
			to++
		}
		if !a.talk[from].Shared {
			out = append(out, a.sitting(from, to, f, lessons))
		}
		from = to
	}
	return out
}

func begunAt(t *Told) time.Time { return t.Turn.Messages[0].At.UTC() }
func endedAt(t *Told) time.Time { return t.Turn.Messages[len(t.Turn.Messages)-1].At.UTC() }

// sitting condenses the turns talk[from:to].
func (a *conversationLog) sitting(from, to int, f *facts, lessons []*Item) episode.Sitting {
	first := &a.talk[from]
	s := episode.Sitting{
		Span:  episode.Span{Conversation: first.Conversation, From: first.Turn.Number, To: a.talk[to-1].Turn.Number},
		Begin: begunAt(first), End: endedAt(&a.talk[to-1]),
	}
	words, files := map[string]float64{}, map[string]float64{}
	var notes []noteAt
	title := -1.0
	for k := range a.said {
		said := &a.said[k]
		if said.turn < from || said.turn >= to {
			continue
		}
		rare := countWords(words, said)
		if said.person && said.turn < from+titleTurns {
			rare /= float64(2 + said.turn - from) // a subject is named when it is introduced
			if score := rare / math.Sqrt(float64(5+utterance.CountWords(said.text))); score > title && utterance.CountWords(said.text) >= fewWords {
				title, s.Title = score, a.note(said, "", 0)
			}
		}
		if part, score := partOf(said); part != "" {
			notes = append(notes, noteAt{k, a.note(said, part, score)})
		}
	}
	for i := from; i < to; i++ {
		for _, file := range a.talk[i].Files {
			files[file]++
		}
	}
	notes = append(notes, a.settledNotes(from, to, f)...)
	notes = append(notes, lessonNotes(lessons, s.Span)...)
	s.Notes = heaviest(notes)
	for _, w := range topOf(words, sittingWords) {
		s.Words = append(s.Words, episode.Word{Text: w, Weight: math.Round(words[w]*100) / 100})
	}
	s.Files = topOf(files, sittingFiles)
	return s
}

// countWords adds the distinctive words of a sentence, a person's with double weight, and returns
// their joint rarity.
func countWords(into map[string]float64, s *scoredSentence) (rare float64) {
	for _, t := range utterance.Terms(s.text) {
		if name := topical(s.text, t); name != "" {
			weight := t.Rarity
			if t.Code {
				weight *= 1.5
			}
			rare += weight
			if s.person {
				weight *= 2
			}
			into[name] += weight / (1 + into[name]/4) // repetition counts, with diminishing weight
		}
	}
	return rare
}

// partOf returns the part of an episode that a person's sentence states, and with which certainty;
// "" for nothing lasting.
func partOf(s *scoredSentence) (episode.Part, float64) {
	p := s.scores
	settled, happened := max(p[utterance.Decision], p[utterance.Directive], p[utterance.Change]), max(p[utterance.Problem], p[utterance.Fixed])
	if !s.person || utterance.CountWords(s.text) < fewWords || len(s.text) > longestNote {
		return "", 0
	}
	switch {
	case p[utterance.Question] >= .5 || p[utterance.Order] > max(.5, settled) || strings.ContainsAny(s.text[runeStart(s.text, len(s.text)-1):], "?？"):
		return "", 0
	case settled >= decidedNoteAt && settled >= happened && p[utterance.Proposal] <= settled:
		return episode.Decided, settled
	case p[utterance.Fixed] >= fixedAt && p[utterance.Fixed] >= p[utterance.Problem]:
		return episode.Worked, p[utterance.Fixed]
	case p[utterance.Problem] >= wrongNoteAt:
		return episode.Wrong, .6 * p[utterance.Problem]
	case p[utterance.Question] < notStatedAt && p[utterance.Order] < notStatedAt:
		return episode.Stated, statedShare * max(settled, happened, .1)
	}
	return "", 0
}

// noteAt is a note with its position in the account.
type noteAt struct {
	at int
	episode.Note
}

func (a *conversationLog) note(s *scoredSentence, part episode.Part, score float64) episode.Note {
	t := &a.talk[s.turn]
	m := &t.Turn.Messages[s.message]
	return episode.Note{
		Part: part, Text: strings.Clone(s.text), Conversation: t.Conversation, Turn: dialogue.TurnID(t.Turn.Number), Message: m.ID, At: m.At.UTC(), Author: m.Author,
		Score: math.Round(score*100) / 100,
	}
}

// settledNotes returns the decisions and open questions in the conversation's arc from the turns
// talk[from:to].
func (a *conversationLog) settledNotes(from, to int, f *facts) (out []noteAt) {
	for _, list := range []struct {
		part  episode.Part
		from  []settled
		score float64
	}{{episode.Decided, f.Decided, .8}, {episode.Open, f.Open, .35}} {
		for _, s := range list.from {
			for i := to - 1; i >= from; i-- { // an option is quoted from the turn that proposed it
				if a.talk[i].Turn.Number > s.Turn || len(s.Text) > longestNote {
					continue
				}
				if st, ok := statementIn(&a.talk[i], s.Text); ok {
					at, _ := slices.BinarySearchFunc(a.said, i, func(s scoredSentence, turn int) int { return cmp.Compare(s.turn, turn) })
					out = append(out, noteAt{at, episode.Note{
						Part: list.part, Text: strings.Clone(s.Text), Conversation: st.Conversation, Turn: st.Turn, Message: st.Message, At: st.At, Author: st.Author, Score: list.score,
					}})
					break
				}
				if a.talk[i].Turn.Number < s.Turn-1 {
					break
				}
			}
		}
	}
	return out
}

// lessonNotes returns the first and the last quotation of the lessons that were learned in some
// turns.
func lessonNotes(lessons []*Item, in episode.Span) (out []noteAt) {
	for _, l := range lessons {
		if l.Turn < in.From || l.Turn > in.To || len(l.Quotations) == 0 {
			continue
		}
		for i, part := range []episode.Part{episode.Wrong, episode.Worked} {
			q := l.Quotations[i*(len(l.Quotations)-1)]
			if i > 0 && len(l.Quotations) == 1 || len(q.Text) > longestNote {
				continue
			}
			out = append(out, noteAt{math.MaxInt32, episode.Note{Part: part, Text: q.Text, Conversation: q.Conversation, Turn: q.Turn, Message: q.Message, At: q.At, Author: q.Author, Score: .5}})
		}
	}
	return out
}

// heaviest returns the notes with the largest weights, without duplicates, in the order of their
// messages.
func heaviest(notes []noteAt) []episode.Note {
	slices.SortStableFunc(notes, func(a, b noteAt) int { return cmp.Compare(b.Score, a.Score) })
	seen := map[string]bool{}
	notes = slices.DeleteFunc(notes, func(n noteAt) bool {
		had := seen[n.Text]
		seen[n.Text] = true
		return had
	})
	notes = notes[:min(sittingNotes, len(notes))]
	slices.SortStableFunc(notes, func(a, b noteAt) int { return cmp.Or(a.Note.At.Compare(b.Note.At), cmp.Compare(a.at, b.at)) })
	var out []episode.Note
	for _, n := range notes {
		out = append(out, n.Note)
	}
	return out
}

// topOf returns the keys with the highest weights.
func topOf(weights map[string]float64, most int) []string {
	var out []string
	for w := range weights {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), most)]
}

// partial reports whether the run read only a part of the conversations.
func (p *run) partial() bool { return p.in.Partial != nil && p.in.Partial() && !p.in.Full }

// isDistant reports whether all sources of an item are in conversations that the run did not read.
func (p *run) isDistant(it *Item) bool {
	return p.partial() && !slices.ContainsFunc(it.SourceTurns, func(s string) bool {
		c, _, _ := ParseSource(s)
		return p.near[c]
	})
}

// sit stores a conversation's sittings, unless they are stored already.
func (p *run) sit(a *conversationLog, f *facts, isNew bool, lessons []*Item) error {
	k := key(p.tx.Workspace, keySittings, a.talk[0].Conversation)
	if !isNew {
		var had storedSittings
		if err := readJSON(p.tx.Reader, k, &had, "read sittings"); err != nil || had.Form == sittingForm {
			return err
		}
	}
	list := sittingsOf(a, f, lessons)
	if p.sittings == nil {
		p.sittings = map[string][]episode.Sitting{}
	}
	p.sittings[a.talk[0].Conversation] = list
	return p.tx.SetJSON(k, storedSittings{sittingForm, list})
}

// tellEpisodes makes the episodes of all sittings. It reads the stored sittings and no
// conversation, and writes only the months that changed.
func (p *run) tellEpisodes() error {
	all := p.sittings
	if all == nil {
		all = map[string][]episode.Sitting{}
	}
	prefix := key(p.tx.Workspace, keySittings)
	err := p.tx.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		conversation, _, ok := store.TakeString(k[len(prefix):])
		if _, known := all[conversation]; known {
			return true, nil
		}
		var had storedSittings
		if !ok || json.Unmarshal(v, &had) != nil {
			return false, fmt.Errorf("read sittings: %w", ErrBroken)
		}
		all[conversation] = had.Sittings
		return true, p.pause()
	})
	if err != nil {
		return err
	}
	var sittings []episode.Sitting
	for _, list := range all {
		sittings = append(sittings, list...)
	}
	made, err := episode.Build(sittings, episode.Options{Replaced: p.replacedIn(), Pause: p.in.Pause})
	if err != nil {
		return err
	}
	p.out.Episodes = len(made)
	return saveEpisodes(p.tx, made)
}

// replacedIn returns a function that returns the conversation in which a rule with a text was
// replaced.
func (p *run) replacedIn() func(text string) (string, bool) {
	in := map[string]string{}
	for _, it := range p.items {
		if it.Kind == Rule && !it.Holds() && it.SupersededIn != "" {
			in[removedName(it.Content)] = it.SupersededIn
		}
	}
	return func(text string) (string, bool) {
		c, ok := in[removedName(text)]
		return c, ok
	}
}

// saveEpisodes stages episodes by month.
func saveEpisodes(tx store.Tx, all []episode.Episode) error {
	by := map[string][]episode.Episode{}
	for i := range all {
		month := episode.MonthOf(&all[i])
		by[month] = append(by[month], all[i])
	}
	changed := false
	prefix := key(tx.Workspace, keyEpisodes)
	err := tx.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		month, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, fmt.Errorf("read episodes: %w", ErrBroken)
		}
		text, err := json.Marshal(by[month])
		switch {
		case err != nil:
			return false, err
		case by[month] == nil:
			tx.Delete(key(tx.Workspace, keyEpisodes, month))
			changed = true
		case !bytes.Equal(text, v):
			tx.Set(key(tx.Workspace, keyEpisodes, month), text)
			changed = true
		}
		delete(by, month)
		return true, nil
	})
	for month, list := range by {
		err = cmp.Or(err, tx.SetJSON(key(tx.Workspace, keyEpisodes, month), list))
		changed = true
	}
	if err != nil || !changed {
		return err
	}
	serial, err := EpisodesSerial(tx.View)
	if err != nil {
		return err
	}
	return tx.SetJSON(key(tx.Workspace, keyEpisodesSerial), serial+1)
}

// EpisodesSerial returns the serial of the stored episodes, which changes whenever they do; 0 when
// there are none.
func EpisodesSerial(view store.View) (uint64, error) {
	var n uint64
	return n, readJSON(view.Reader, key(view.Workspace, keyEpisodesSerial), &n, "read episodes")
}

// LoadEpisodes returns the episodes of the last offline run, in chronological order.
func LoadEpisodes(view store.View) ([]episode.Episode, error) {
	var out []episode.Episode
	prefix := key(view.Workspace, keyEpisodes)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		var list []episode.Episode
		if err := json.Unmarshal(v, &list); err != nil {
			return false, fmt.Errorf("read episodes: %w: %w", ErrBroken, err)
		}
		out = append(out, list...)
		return true, nil
	})
	return out, err
}

// forgetEpisodes removes conversations, or turns of them, from episodes and from the sittings. It
// reports whether there was anything.
func forgetEpisodes(tx store.Tx, conversations []string, gone func(source string) bool) (bool, error) {
	for _, c := range conversations { // a conversation with remaining turns is read again
		tx.Delete(key(tx.Workspace, keySittings, c))
	}
	all, err := LoadEpisodes(tx.View)
	if err != nil {
		return false, err
	}
	n := len(all)
	any := false
	for i := range all {
		e := &all[i]
		if !slices.ContainsFunc(e.Spans, func(s episode.Span) bool { return slices.Contains(conversations, s.Conversation) }) {
			continue
		}
		any = true
		e.Notes = slices.DeleteFunc(e.Notes, func(n episode.Note) bool { return gone(n.Source()) })
		e.Spans = slices.DeleteFunc(e.Spans, func(s episode.Span) bool {
			for turn := s.From; turn <= s.To; turn++ {
				if !gone(SourceTurn(s.Conversation, dialogue.TurnID(turn))) {
					return false
				}
			}
			return true
		})
		e.Words, e.Files = nil, nil // which of them only the forgotten turns had is unknown
		if gone(e.Title.Source()) {
			if e.Title = (episode.Note{}); len(e.Notes) > 0 {
				e.Title = e.Notes[0]
			}
		}
	}
	all = slices.DeleteFunc(all, func(e episode.Episode) bool { return len(e.Spans) == 0 || e.Title.Text == "" })
	if !any && len(all) == n {
		return false, nil
	}
	return true, saveEpisodes(tx, all)
}
