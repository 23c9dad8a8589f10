package knowledge

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Heard is a message, the number of its turn and the directives that [Hear] finds in it.
type Heard struct {
	dialogue.Message
	Turn  int
	Found []Found
}

// Learning is what Learn reads: messages that were added to a conversation, in order.
type Learning struct {
	Conversation string
	Messages     []Heard
	Now          time.Time
}

// Learn stages the directives of messages as candidates, each a quotation. One that repeats an earlier one becomes
// another quotation of it, and confirms it when it comes from another conversation; one that is about the same thing
// and says something else supersedes it. What a person removed does not come back. Where messages state nothing it
// reads and stages nothing. learned reports whether anything was staged: until the batch is applied, another Learn would
// not know of it.
func Learn(r store.Reader, b *store.Batch, ws store.Workspace, in Learning) (learned bool, err error) {
	if !slices.ContainsFunc(in.Messages, func(m Heard) bool { return len(m.Found) > 0 }) {
		return false, nil
	}
	s, err := openShelf(r, ws)
	if err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	for i, m := range in.Messages {
		for _, f := range m.Found {
			if err := s.hear(in, i, m, f); err != nil {
				return false, fmt.Errorf("learn rules: %w", err)
			}
		}
	}
	changed, err := s.flush(b)
	if err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	return changed > 0, nil
}

// hear stages one directive.
func (s *shelf) hear(in Learning, i int, m Heard, f Found) error {
	removed, err := s.isRemoved(f.Text)
	if err != nil || removed {
		return err
	}
	q := Quotation{Conversation: in.Conversation, Turn: dialogue.TurnID(m.Turn), Message: m.ID, Text: f.Text, At: m.At.UTC(), Author: m.Author}
	if q.Message == "" {
		q.Message = fmt.Sprintf("%s.%d", q.Turn, i)
	}
	old, how, err := s.related(f)
	if err != nil {
		return err
	}
	if f.Revises && how != replaces {
		return nil
	}
	if how == repeats {
		return s.repeat(old, q, in.Now)
	}
	s.serial++
	it := &Item{
		ID: makeID(string(Rule), in.Conversation, q.Message, f.Text), Kind: Rule, Title: titleOf(f.Text), Content: f.Text,
		Topics: []string{}, Keywords: []string{}, Weight: 1, SourceTurns: []string{SourceTurn(in.Conversation, q.Turn)},
		CreatedAt: q.At, UpdatedAt: q.At, Learned: true, Conversation: in.Conversation, Turn: m.Turn, MessageIDs: []string{m.ID},
		Author: m.Author, Role: m.Role, Serial: s.serial, State: Candidate, Quotations: []Quotation{q},
		Probability: f.Probability, Scope: scopeOf(m.Message, f), profile: &f.profile,
	}
	it.MessageIDs = slices.DeleteFunc(it.MessageIDs, func(id string) bool { return id == "" })
	if was, err := s.get(it.ID); err != nil || was != nil {
		return err // the same message, read again
	}
	if how == replaces && countsOver(it, old) {
		if err := s.put(old); err != nil {
			return err
		}
		old.SupersededBy = it.ID
	}
	return s.put(it)
}

// repeat adds a quotation to an item that says the same.
func (s *shelf) repeat(it *Item, q Quotation, now time.Time) error {
	if slices.ContainsFunc(it.Quotations, func(o Quotation) bool { return o.Conversation == q.Conversation && o.Message == q.Message }) {
		return nil
	}
	if err := s.put(it); err != nil {
		return err
	}
	if len(it.Quotations) < maxQuotations {
		it.Quotations = append(it.Quotations, q)
	}
	if source := SourceTurn(q.Conversation, q.Turn); !slices.Contains(it.SourceTurns, source) {
		it.SourceTurns = append(it.SourceTurns, source)
	}
	if !slices.Contains(it.MessageIDs, q.Message) {
		it.MessageIDs = append(it.MessageIDs, q.Message)
	}
	s.serial++
	it.Serial, it.UpdatedAt = s.serial, now.UTC()
	if it.State == Candidate && it.Probability >= repeatedAt && slices.ContainsFunc(it.Quotations, func(o Quotation) bool { return o.Conversation != q.Conversation }) {
		it.State, it.Confirmation = Confirmed, RepeatedBy
	}
	return nil
}

// relation is how a new directive stands to an old one.
type relation byte

const (
	unrelated relation = iota
	repeats
	replaces
)

// Probabilities of the same subject from which a directive repeats or replaces an earlier one, and the likeness of two
// that say the same. A cue of change makes less do.
const (
	sameAt        = .965
	sameChangedAt = .8
	changedAt     = .35
	alikeAt       = .74
	inOrderAt     = .8
	sameWordsAt   = .75
	repeatedAt    = .5 // the least probability of what repetition confirms
	mostSubjects  = 8  // words that a directive is found by
)

// related returns the rule in force that a directive repeats or replaces.
func (s *shelf) related(f Found) (*Item, relation, error) {
	list, err := s.onSubject(f.profile)
	if err != nil {
		return nil, unrelated, err
	}
	var best *Item
	bestP, bestLike := 0.0, 0.0
	for _, it := range list {
		p := it.shape()
		prob, like := utterance.SameSubject(p, f.profile, f.Change), p.Likeness(f.profile)
		if prob > bestP || prob == bestP && best != nil && it.Serial > best.Serial {
			best, bestP, bestLike = it, prob, like
		}
	}
	switch {
	case best == nil:
		return nil, unrelated, nil
	case f.Change < changedAt && bestLike >= alikeAt && utterance.InOrder(best.Content, f.Text) >= inOrderAt && !differs(best.Content, f.Text):
		return best, repeats, nil
	case f.Change < changedAt && bestP >= sameAt && echoes(best.Content, f.Text):
		return best, repeats, nil
	case f.Change >= changedAt && bestP >= sameChangedAt, bestP >= sameAt && revalued(best.Content, f.Text):
		return best, replaces, nil
	}
	return nil, unrelated, nil
}

// echoes reports whether two statements about the same thing name the same identifiers and numbers: a reply that says
// again what was asked for.
func echoes(a, b string) bool {
	x := utterance.Marks(a)
	return len(x) > 0 && x[0] != "¬" && slices.Equal(x, utterance.Marks(b))
}

// revalued reports whether two statements about the same thing differ in a value only: in identifiers and numbers, or in
// one word while those are the same. Rules of two siblings differ in more.
func revalued(a, b string) bool {
	return utterance.SameWords(a, b) >= sameWordsAt || utterance.OneReplaced(a, b) && slices.Equal(utterance.Marks(a), utterance.Marks(b))
}

// mostOnSubject bounds the rules that a new one is compared with: those that share its rarest words come first.
const mostOnSubject = 24

// onSubject returns the rules in force that share a word with a profile, at most mostOnSubject.
func (s *shelf) onSubject(p utterance.Profile) ([]*Item, error) {
	var out []*Item
	seen := map[string]bool{}
	for _, name := range subjectNames(p) {
		if len(out) >= mostOnSubject {
			break
		}
		items, err := s.under(keySubject, name)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if !seen[it.ID] {
				seen[it.ID] = true
				out = append(out, it)
			}
		}
	}
	return out, nil
}

func subjectNames(p utterance.Profile) []string {
	var out []string
	for _, h := range p.Subjects(mostSubjects) {
		out = append(out, string(binary.BigEndian.AppendUint32(nil, h)))
	}
	return out
}

// differs reports whether two alike sentences may say different things: their numbers, their identifiers or the words
// that only one has say so.
func differs(a, b string) bool {
	x, y := utterance.Marks(a), utterance.Marks(b)
	return !slices.Equal(x, y)
}

// countsOver reports whether one rule's word counts over another's: within one conversation, of the same person, or on
// either side by hand.
func countsOver(newer, older *Item) bool {
	return !older.Learned || !newer.Learned || newer.Conversation == older.Conversation || newer.authority() == older.authority()
}

// isRemoved reports whether a person removed this sentence.
func (s *shelf) isRemoved(text string) (bool, error) {
	_, found, err := s.r.Get(key(s.ws, keyRemoved, removedName(text)))
	return found, err
}

// removedName stands for a sentence that was removed: no byte of it need be kept.
func removedName(text string) string {
	folded := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	sum := sha256.Sum256([]byte(folded))
	return hex.EncodeToString(sum[:12])
}

// titleOf is the beginning of a quotation, cut between words.
func titleOf(text string) string {
	const most = 90
	line := strings.TrimSpace(text)
	if i := strings.IndexByte(line, '\n'); i > 0 {
		line = strings.TrimSpace(line[:i])
	}
	if len(line) <= most {
		return line
	}
	line = line[:runeStart(line, most)]
	if i := strings.LastIndexByte(line, ' '); i > most/2 {
		line = line[:i]
	}
	return line
}

// mostScope bounds the names in a scope.
const mostScope = 8

// scopeOf names the files and symbols that a directive was said about: those of the quotation, and of a message that
// points at a document.
func scopeOf(m dialogue.Message, f Found) string {
	var names []string
	add := func(name string) {
		if name != "" && len(names) < mostScope && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, t := range utterance.Terms(f.Text) {
		if t.Code {
			add(f.Text[t.Start:t.End])
		}
	}
	for _, s := range m.Symbols {
		add(s)
	}
	for _, u := range m.URIs {
		add(u[strings.LastIndexByte(u, '/')+1:])
	}
	return strings.Join(names, ", ")
}
