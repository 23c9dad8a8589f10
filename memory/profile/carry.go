package profile

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// A run need not read all turns again: the findings of an earlier run in turns that this one does
// not read are carried over.

// Bounds of what is carried over besides what was found.
const mostOldTopics, mostOldEntities = MostTopics / 2, MostEntities / 2

// carrier carries over the findings of earlier runs in conversations that were not read.
type carrier struct {
	read  map[string]bool // conversations
	decay float64         // of weights, since the previous run
}

func conversationOf(source string) string { return source[:max(0, strings.LastIndexByte(source, '/'))] }

// within returns a set whose topics have only the turns that were read again: topics are matched by
// those.
func (c *carrier) within(before Set) Set {
	before.Topics = slices.Clone(before.Topics)
	for i := range before.Topics {
		before.Topics[i].Turns = c.turns(before.Topics[i].Turns, true)
	}
	return before
}

// turns returns the sources that were read, or those that were not.
func (c *carrier) turns(sources []string, read bool) (out []string) {
	for _, s := range sources {
		if c.read[conversationOf(s)] == read {
			out = append(out, s)
		}
	}
	return out
}

// carry adds to a set what is known from turns that were not read.
func carry(out *Set, before Set, turns []Turn, now time.Time) {
	c := newCarrier(before, turns, now)
	out.Topics = carried(c, out.Topics, before.Topics, mostOldTopics, func(t *Topic) *Subject { return &t.Subject })
	out.Entities = carried(c, out.Entities, before.Entities, mostOldEntities, func(e *Entity) *Subject { return &e.Subject })
}

func newCarrier(before Set, turns []Turn, now time.Time) *carrier {
	c := &carrier{read: map[string]bool{}}
	for i := range turns {
		c.read[turns[i].Conversation] = true
	}
	var then time.Time
	for i := range before.Topics {
		then = latest(then, before.Topics[i].Last)
	}
	for i := range before.Entities {
		then = latest(then, before.Entities[i].Last)
	}
	c.decay = math.Exp2(-max(0, now.Sub(then)).Hours() / halfLife.Hours())
	return c
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// carried adds to a list what the previous one has from turns that were not read, the most
// mentioned first.
func carried[T any](c *carrier, list, before []T, most int, of func(*T) *Subject) []T {
	var old []T
	for i := range before {
		b := before[i]
		s := of(&b)
		outside := c.turns(s.Turns, false)
		n := len(outside) + max(0, s.Count-len(s.Turns))
		if n == 0 {
			continue
		}
		at := slices.IndexFunc(list, func(t T) bool { return of(&t).ID == s.ID || slices.Contains(of(&t).Merged, s.ID) })
		if at < 0 {
			at = slices.IndexFunc(list, func(t T) bool { return fold(of(&t).Label) == fold(s.Label) })
		}
		statements := slices.DeleteFunc(slices.Clone(s.Statements), func(st Statement) bool { return c.read[st.Conversation] })
		if at >= 0 {
			of(&list[at]).goOn(s, outside, n, statements)
			continue
		}
		s.Turns, s.Count, s.Statements, s.Trend = outside, n, statements, Falling
		s.Weight = math.Round(s.Weight*c.decay*1e4) / 1e4
		old = append(old, b)
	}
	slices.SortStableFunc(old, func(a, b T) int {
		return cmp.Or(-compareBools(of(&a).Pinned, of(&b).Pinned), cmp.Compare(of(&b).Count, of(&a).Count), cmp.Compare(of(&a).Label, of(&b).Label))
	})
	old = old[:min(most, len(old))]
	slices.SortStableFunc(old, func(a, b T) int { return cmp.Compare(of(&b).Weight, of(&a).Weight) })
	list = append(list, old...)
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(of(&b).Weight, of(&a).Weight) })
	return list
}

// goOn adds what is known of a subject from n turns that were not read; sources are the latest of
// them.
func (s *Subject) goOn(before *Subject, sources []string, n int, statements []Statement) {
	s.Count += n
	s.Weeks = laterWeeks(s.Weeks, before.Weeks)
	s.Turns = append(slices.Clone(sources), s.Turns...)
	s.Turns = s.Turns[max(0, len(s.Turns)-MostTurns):]
	if before.First.Before(s.First) {
		s.First = before.First
	}
	s.Names = fill(s.Names, before.Names, mostNames)
	s.Files = fill(s.Files, before.Files, maxFiles)
	count, said := map[Part]int{}, map[string]bool{}
	for _, st := range s.Statements {
		count[st.Part]++
		said[st.Text] = true
	}
	for _, st := range slices.Backward(statements) { // the latest first
		if count[st.Part] < mostOf[st.Part] && !said[st.Text] {
			count[st.Part]++
			said[st.Text] = true
			s.Statements = append(s.Statements, st)
		}
	}
	sortStatements(s.Statements)
}

func fill(a, b []string, most int) []string {
	for _, s := range b {
		if len(a) < most && !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
