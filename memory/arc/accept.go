package arc

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// accept handles a short reply that agrees to what the turn before proposed, and reports whether it
// did. The decision is the sentence of the proposal.
func (t *turn) accept() bool {
	proposal := t.proposal()
	if proposal == nil {
		return false
	}
	for i := range t.said {
		l := &t.said[i]
		if !l.is(opening) || l.is(asks|denies|withdrawing|deferring) || l.Words > shortReply || l.p(utterance.Proposal) > rather || l.p(utterance.Problem) > likely {
			continue
		}
		agrees := l.Agrees > 0 && l.p(utterance.Decision) > barely || l.p(utterance.Decision) > clearly
		if agrees && weightOf(l.Keys) < telling && shared(l.Keys, union(t.options, t.context)) <= telling {
			t.settle(Decision{Text: proposal.Text, Turn: t.now, Rejected: proposal.Rejected}, proposal.Keys)
			return true
		}
	}
	return false
}

// proposal returns what a bare agreement would mean: the assistant's last proposal, or its advice
// when the person asked which of several options to take.
func (t *turn) proposal() *Line {
	prev := t.folder.before[0]
	if prev == nil {
		return nil
	}
	options := 0
	var found, advice *Line
	for i := range prev.Replied {
		l := &prev.Replied[i]
		switch {
		case l.is(offering):
			return nil
		case l.is(listed):
			options++
		case l.p(utterance.Proposal) > likely:
			found = l
		case advice == nil && !l.is(asks):
			advice = l
		}
	}
	if options > 1 {
		return nil
	}
	weighed := slices.ContainsFunc(prev.Said, func(l Line) bool { return l.p(utterance.Proposal) > slightly })
	if found == nil && weighed {
		return advice
	}
	return found
}

// pick handles a reply that names an option of a list by its position: "the second", "B", "3". It
// reports whether it did.
func (t *turn) pick() bool {
	prev := t.folder.before[0]
	if prev == nil || len(t.said) == 0 {
		return false
	}
	l := &t.said[0]
	if l.Words > shortPick || l.is(asks|deferring|withdrawing) {
		return false
	}
	var list []*Line
	for i := range prev.Replied {
		if prev.Replied[i].is(listed) {
			list = append(list, &prev.Replied[i])
		}
	}
	at := place(l.Text, list)
	if at < 0 || at >= len(list) {
		return false
	}
	t.settle(Decision{Text: list[at].Text, Turn: t.now, Rejected: nil}, list[at].Keys)
	return true
}

// place returns the index of the option that a reply names by number, letter or position, or -1.
func place(text string, list []*Line) int {
	if len(list) < 2 {
		return -1
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, f := range fields[:min(len(fields), 5)] {
		if n, err := strconv.Atoi(f); err == nil && n >= 1 && n <= len(list) && len(f) == 1 {
			return n - 1
		}
		if len(f) == 1 && f[0] >= 'A' && f[0] <= 'F' {
			if at := slices.IndexFunc(list, func(o *Line) bool { return optionMark(o.Text) == f[0] }); at >= 0 {
				return at
			}
		}
	}
	at := -1
	scan(lower(text), func(c cue, _, _ int) {
		if n := int(c) - int(ordinal); at < 0 && n >= 0 && n < len(list) {
			at = n
		}
	})
	return at
}
