package knowledge

import (
	"cmp"
	"crypto/sha256"
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

// MessageDirectives is a message with the number of its turn and the directives that [Hear] finds
// in it.
type MessageDirectives struct {
	dialogue.Message
	Turn  int
	Found []DirectiveText
	// Origin identifies the message, see [Origins]; it may be "" where nothing was found.
	Origin string
}

// Learning is the input of Learn: messages that were added to a conversation, in order.
type Learning struct {
	Conversation string
	Messages     []MessageDirectives
}

// Learn stages the directives of messages, each a quotation: active if it was said outright for the
// future, else a candidate. One that repeats an earlier one becomes another quotation of it, and
// confirms it when it comes from another conversation that is no copy of the first; one that is
// about the same thing and says something else supersedes it, and is active if that was. What a
// person removed does not come back. Messages without directives cause no read and no write.
// learned reports whether anything was staged: until the batch is applied, another Learn would not
// see it.
func Learn(tx store.Tx, in Learning) (learned bool, err error) {
	if !slices.ContainsFunc(in.Messages, func(m MessageDirectives) bool { return len(m.Found) > 0 }) {
		return false, nil
	}
	s, err := openShelf(tx.View)
	if err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	for i, m := range in.Messages {
		for _, f := range m.Found {
			if err := s.hear(in.Conversation, i, m, f, tx.Now); err != nil {
				return false, fmt.Errorf("learn rules: %w", err)
			}
		}
	}
	changed, err := s.flush(tx)
	if err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	return changed > 0, nil
}

// hear stages one directive of the i-th message read of a conversation.
func (s *itemStage) hear(conversation string, i int, m MessageDirectives, f DirectiveText, now time.Time) error {
	removed, err := s.isRemoved(f.Text)
	if err != nil || removed {
		return err
	}
	q := Quotation{Conversation: conversation, Turn: dialogue.TurnID(m.Turn), Message: m.ID, Text: f.Text, At: m.At.UTC(), Author: m.Author, Outright: f.Outright, Origin: m.Origin}
	if q.Message == "" {
		q.Message = fmt.Sprintf("%s.%d", q.Turn, i)
	}
	own, others, err := s.onSubject(f.profile, conversation)
	if err != nil {
		return err
	}
	if said := echoed(own, conversation, m, f); said != nil {
		return s.repeat(said, q, now)
	}
	old, how := related(own, f)
	other, otherHow := related(others, f)
	switch {
	case f.Revises && how != replaces && otherHow != replaces:
		return nil
	case how == repeats:
		return s.repeat(old, q, now)
	case otherHow == repeats:
		if how == replaces {
			if err := s.replace(old, other, conversation); err != nil {
				return err
			}
		}
		return s.repeat(other, q, now)
	}
	s.serial++
	it := &Item{
		ID: makeID(string(Rule), conversation, q.Message, f.Text), Kind: Rule, Title: titleOf(f.Text), Content: f.Text,
		Topics: []string{}, Keywords: []string{}, Weight: 1, SourceTurns: []string{SourceTurn(conversation, q.Turn)},
		CreatedAt: q.At, UpdatedAt: q.At, Learned: true, Conversation: conversation, Turn: m.Turn, MessageIDs: []string{m.ID},
		Author: m.Author, Role: m.Role, Serial: s.serial, Quotations: []Quotation{q},
		Probability: f.Probability, Scope: scopeOf(m.Message, f), profile: &f.profile,
	}
	it.MessageIDs = slices.DeleteFunc(it.MessageIDs, func(id string) bool { return id == "" })
	if was, err := s.get(it.ID); err != nil || was != nil {
		return err // the same message, read again
	}
	for _, o := range []*Item{old, other} {
		if o != nil && countsOver(it, o) {
			it.Quotations[0].Outright = it.Quotations[0].Outright || o.Standing() == Confirmed
			if err := s.replace(o, it, conversation); err != nil {
				return err
			}
		}
	}
	it.weigh()
	return s.put(it)
}

// replace records that a rule said in a conversation has replaced another.
func (s *itemStage) replace(old, by *Item, conversation string) error {
	if err := s.put(old); err != nil {
		return err
	}
	old.SupersededBy, old.SupersededIn = by.ID, conversation
	return nil
}

// repeat adds a quotation to an item with the same meaning.
func (s *itemStage) repeat(it *Item, q Quotation, now time.Time) error {
	if slices.ContainsFunc(it.Quotations, func(o Quotation) bool { return o.Conversation == q.Conversation && o.Message == q.Message }) {
		return nil
	}
	if err := s.put(it); err != nil {
		return err
	}
	it.Quotations = append(it.Quotations[:min(len(it.Quotations), maxQuotations-1)], q)
	if source := SourceTurn(q.Conversation, q.Turn); !slices.Contains(it.SourceTurns, source) {
		it.SourceTurns = append(it.SourceTurns, source)
	}
	if !slices.Contains(it.MessageIDs, q.Message) {
		it.MessageIDs = append(it.MessageIDs, q.Message)
	}
	s.serial++
	if it.Serial, it.UpdatedAt = s.serial, now.UTC(); it.State == Candidate {
		it.weigh()
	}
	return nil
}

// Two conversations that have the same words this far from their beginning, at nearly the same
// position, are one that was resumed.
const resumedFrom, resumedNear = 10, 2

// uniqueID is the length from which a message's id is one that is given only once: a UUID or a
// hash, not a number within its conversation.
const uniqueID = 16

// isCopy reports whether two quotations come from the same statement: a conversation that was
// forked, or resumed under another name, has the messages of the one before, with the same id or
// time or, if it sets new ones, after the same messages or at the same position.
func isCopy(a, b Quotation) bool {
	if a.Text != b.Text || a.Conversation == b.Conversation {
		return false
	}
	if !a.At.IsZero() && a.At.Equal(b.At) || a.Message == b.Message && len(a.Message) >= uniqueID || a.Origin != "" && a.Origin == b.Origin {
		return true
	}
	x, err1 := dialogue.ParseTurn(a.Turn)
	y, err2 := dialogue.ParseTurn(b.Turn)
	return err1 == nil && err2 == nil && min(x, y) >= resumedFrom && max(x, y)-min(x, y) <= resumedNear
}

// Preceding is the number of messages before one that [Origins] needs.
const Preceding = 4

// Origins returns what identifies each of some messages of a conversation by those before it, so
// that a copy of the conversation has the same. before are the Preceding messages before them, or
// all there are. The first message of a conversation is identified by the reply to it, and not at
// all without one: two conversations may begin alike.
func Origins(before, messages []dialogue.Message) []string {
	all := slices.Concat(before, messages)
	out := make([]string, len(messages))
	for i := range out {
		at := len(before) + i
		from, to := max(0, at-Preceding), at+1
		if at == 0 {
			to = min(2, len(all))
		}
		if to-from < 2 {
			continue
		}
		h := sha256.New()
		for _, m := range all[from:to] {
			fmt.Fprintf(h, "%s\x00%d\x00%s", m.Role, len(m.Content), m.Content)
		}
		out[i] = hex.EncodeToString(h.Sum(nil)[:originBytes])
	}
	return out
}

// originBytes is the length of the hash that identifies a message.
const originBytes = 8

// relation is the relation of a new directive to an old one.
type relation byte

const (
	unrelated relation = iota
	repeats
	replaces
)

// related returns the rule that a directive repeats or replaces; nil when it does neither.
func related(list []*Item, f DirectiveText) (*Item, relation) {
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
		return nil, unrelated
	case f.Change < changedAt && bestLike >= alikeAt && utterance.InOrder(best.Content, f.Text) >= inOrderAt && !differs(best.Content, f.Text):
		return best, repeats
	case f.Change < changedAt && bestP >= sameAt && echoes(best.Content, f.Text):
		return best, repeats
	case f.Change >= changedAt && bestP >= sameChangedAt && max(best.shape().Shared(f.profile), f.profile.Shared(best.shape())) >= sharedAt,
		bestP >= sameAt && revalued(best.Content, f):
		return best, replaces
	}
	return nil, unrelated
}

// echoed returns the rule that a sentence repeats after somebody else, who stated it in the same
// turn or the previous one: an agreement ("Noted, I'll start them with x_ from now on") is no rule
// of its own.
func echoed(own []*Item, conversation string, m MessageDirectives, f DirectiveText) *Item {
	speaker := cmp.Or(m.Author, string(m.Role))
	marks := utterance.Marks(f.Text)
	var best *Item
	bestP := 0.0
	for _, it := range own {
		just := slices.ContainsFunc(it.Quotations, func(q Quotation) bool {
			turn, err := dialogue.ParseTurn(q.Turn)
			return err == nil && q.Conversation == conversation && turn >= m.Turn-1 && cmp.Or(q.Author, string(it.Role)) != speaker
		})
		if !just || !slices.Equal(utterance.Marks(it.Content), marks) {
			continue
		}
		least := echoedWordsAt
		if len(marks) > 0 && marks[0] != denied {
			least = echoedAt
		}
		if p := utterance.SameSubject(it.shape(), f.profile, 0); p >= least && p > bestP {
			best, bestP = it, p
		}
	}
	return best
}

// echoes reports whether two statements about the same thing name the same identifiers and numbers:
// then one is a reply that repeats the request.
func echoes(a, b string) bool {
	x := utterance.Marks(a)
	return len(x) > 0 && x[0] != denied && slices.Equal(x, utterance.Marks(b))
}

// revalued reports whether two statements about the same thing differ only in a value: in
// identifiers and numbers while the words are the same, or in one position. Two prohibitions that
// differ there both hold, and so do two rules of which the later one changes nothing.
func revalued(earlier string, f DirectiveText) bool {
	if utterance.SameWords(earlier, f.Text) >= sameWordsAt {
		return true
	}
	a, b := utterance.Marks(earlier), utterance.Marks(f.Text)
	return max(f.Change, f.Settles) >= revaluedAt && !(slices.Contains(a, denied) && slices.Contains(b, denied)) && utterance.OneReplaced(earlier, f.Text)
}

// denied is the mark of a negation.
const denied = "¬"

// differs reports whether two similar sentences may mean different things, because their numbers,
// their identifiers or the names at one position differ.
func differs(a, b string) bool {
	return !slices.Equal(utterance.Marks(a), utterance.Marks(b)) || utterance.Renamed(a, b)
}

// countsOver reports whether one rule overrides another: within one conversation, by the same
// person, or on either side by hand.
func countsOver(newer, older *Item) bool {
	return !older.Learned || !newer.Learned || newer.Conversation == older.Conversation || newer.authority() == older.authority()
}

// isRemoved reports whether a person removed this sentence.
func (s *itemStage) isRemoved(text string) (bool, error) {
	_, found, err := s.view.Get(key(s.view.Workspace, keyRemoved, removedName(text)))
	return found, err
}

// removedName returns a hash of a removed sentence, so that none of its text need be stored.
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

// titleOf returns the beginning of a quotation, cut between words.
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

// maxScope bounds the names in a scope.
const maxScope = 8

// scopeOf returns the files and symbols that a directive refers to: those of the quotation, and of
// a message that refers to a document.
func scopeOf(m dialogue.Message, f DirectiveText) string {
	var names []string
	add := func(name string) {
		if name != "" && len(names) < maxScope && !slices.Contains(names, name) {
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
