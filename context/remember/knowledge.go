package remember

import (
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Rules share one element: a line each costs a third of an element each.
const (
	rulesID    = "rules"
	rulesTitle = "Standing rules"
)

// IsStanding reports whether an item is the list of active rules, which is in every bundle.
func IsStanding(id string) bool { return id == rulesID }

// ruleLine returns a rule as a line of a list; one that a teammate suggests names them.
func ruleLine(it knowledge.Item) string {
	if it.Team != nil && it.Standing() == knowledge.Candidate {
		return suggestedLine(it)
	}
	return "- " + strings.Join(strings.Fields(it.Content), " ")
}

// rulesTokens bounds the list of rules in a bundle; the lightest and oldest are left out first.
const rulesTokens = 600

// Rules implements bundle.Past: it returns the confirmed rules of this conversation followed by
// those of the workspace, as one list with its own heading. It does not depend on the prompt, so
// that it stays the same from bundle to bundle.
func (p *Past) Rules() ([]item.Item, error) { return p.rules(rulesTokens) }

// rules returns those that fit into room tokens.
func (p *Past) rules(room int) ([]item.Item, error) {
	all, _, err := p.view.Knowledge.Rules(nil)
	if err != nil {
		return nil, err
	}
	if p.info.ID != "" {
		own, _, err := p.view.Knowledge.Rules(&p.info)
		if err != nil {
			return nil, err
		}
		all = ownFirst(own, all)
	}
	m := item.Item{
		ID: rulesID, Kind: item.Rule, Title: rulesTitle, Format: "full", Score: 1, Reason: "active rules",
	}
	used := 0
	var out []item.Item
	for _, it := range all {
		if it.Standing() != knowledge.Confirmed {
			continue
		}
		line := ruleLine(it) + "\n"
		n := p.opts.Count(line)
		if n > room-used {
			m.Format = "summary"
			out = append(out, left(it, item.OverBudget))
			continue
		}
		used += n
		m.Body += line
		m.MessageIDs = append(m.MessageIDs, it.MessageIDs...)
	}
	if m.Body == "" {
		return out, nil
	}
	m.Body = strings.TrimRight(m.Body, "\n")
	return append([]item.Item{m}, out...), nil
}

// left returns the item of an item that is not shown, with the contract's reason.
func left(it knowledge.Item, reason item.DropReason) item.Item {
	m := KnowledgeItem(it)
	m.Title, m.Score, m.Dropped = it.Title, 0, reason
	return m
}

// leftRanked is left with the probability that the item would have helped.
func leftRanked(r knowledge.RankedItem, reason item.DropReason) item.Item {
	m := left(r.Item, reason)
	m.Score = r.Score
	return m
}

// ownFirst returns the rules of a conversation followed by those of its workspace, without
// duplicates.
func ownFirst(own, all []knowledge.Item) []knowledge.Item {
	seen := map[string]bool{}
	var out []knowledge.Item
	for _, it := range slices.Concat(own, all) {
		if !seen[it.ID] {
			seen[it.ID] = true
			out = append(out, it)
		}
	}
	return out
}

// Knowledge implements bundle.Past: it returns the best reference and lessons on the prompt. Of
// several lessons on one topic only one is shown, and none that the reference covers. A reference
// that memory assembled by itself and nobody confirmed must have most of the prompt.
func (p *Past) Knowledge(_ context.Context, s intent.Signals) ([]item.Item, error) {
	references, err := p.fitting(knowledge.Reference)
	if err != nil {
		return nil, err
	}
	lessons, err := p.fitting(knowledge.Lesson)
	if err != nil {
		return nil, err
	}
	setChances(p.opts.Prompt, references, lessons)
	var out []item.Item
	topics := map[string]bool{}
	room := map[bool]int{false: maxReferences, true: maxRemembered} // true for items with a label
	for _, r := range references {
		if r.Item.Assembled() && r.Item.Standing() == knowledge.Candidate && r.Fit < assembledFits {
			out = append(out, leftRanked(r, "filtered"))
			continue
		}
		labelled := r.Item.Label != ""
		if room[labelled]--; room[labelled] < 0 {
			out = append(out, leftRanked(r, "filtered"))
			continue
		}
		m := p.rankedItem(r)
		if r.Item.Assembled() {
			m.Body = quoted(p.opts.Prompt, r.Item, max(assembledTokens, p.opts.Budget/assembledShare), p.opts.Count, p.opts.Terms)
			out = append(out, m)
			continue // the lessons have more detail
		}
		out = append(out, m)
		for _, t := range r.Item.Topics {
			topics[strings.ToLower(t)] = true
		}
	}
	n := 0
	for _, l := range lessons {
		switch {
		case slices.ContainsFunc(l.Item.Topics, func(t string) bool { return topics[strings.ToLower(t)] }):
			out = append(out, leftRanked(l, "redundant"))
			continue
		case n == maxLessons:
			out = append(out, leftRanked(l, "filtered"))
			continue
		}
		for _, t := range l.Item.Topics {
			topics[strings.ToLower(t)] = true
		}
		out = append(out, p.rankedItem(l))
		n++
	}
	said, err := p.candidates()
	if err != nil {
		return nil, err
	}
	suggested, err := p.suggested()
	if err != nil {
		return nil, err
	}
	said = append(said, suggested...)
	replaced, err := p.superseded()
	return slices.Concat(out, said, replaced), err
}

// setChances replaces the scores of ranked items, possibly in several lists, with the probabilities
// that they help.
func setChances(prompt string, lists ...[]knowledge.RankedItem) {
	var scores, fits []float64
	for _, list := range lists {
		for _, r := range list {
			scores, fits = append(scores, r.Score), append(fits, r.Fit)
		}
	}
	chances := recall.Chances(prompt, scores, fits)
	for _, list := range lists {
		for i := range list {
			list[i].Score = chances[i]
		}
		chances = chances[len(list):]
	}
}

// fitting ranks the items of a kind for the prompt.
func (p *Past) fitting(kind knowledge.Kind) ([]knowledge.RankedItem, error) {
	items, err := p.view.Knowledge.List(knowledge.Filter{Kind: kind})
	if err != nil || len(items) == 0 {
		return nil, err
	}
	ranked := knowledge.Rank(p.opts.Prompt, items, p.opts.Terms)
	ranked = slices.DeleteFunc(ranked, func(r knowledge.RankedItem) bool {
		return r.Score < labelFits || r.Item.Label == "" && r.Score < fits
	})
	standBelow(ranked) // below, not out
	return ranked, nil
}

func (p *Past) rankedItem(r knowledge.RankedItem) item.Item {
	m := KnowledgeItem(r.Item)
	m.Score = r.Score
	m.Derived = r.Item.Standing() == knowledge.Candidate && !r.Recurs
	if m.Reason = "is about the prompt"; r.Item.Label != "" {
		m.Reason = "a " + string(r.Item.Label) + " about the prompt"
	}
	if r.Recurs {
		m.Reason = "the prompt reports the same failure"
	}
	if r.Item.Team != nil {
		m.Reason += ", by " + authorName(r.Item.Team) + " of the team"
	}
	return m
}

// Knowledge implements recall.Sources.
func (f *Found) Knowledge(_ context.Context, query, memoryType string) ([]item.Item, error) {
	items, err := f.itemsOf(memoryType)
	if err != nil {
		return nil, err
	}
	out := f.learned(query, knowledge.Rank(query, items, f.Words))
	if memoryType == "any" || memoryType == "task" {
		tasks, err := f.tasks(query, memoryType == "task")
		if err != nil {
			return nil, err
		}
		out = append(out, tasks...)
	}
	return out, nil
}

// itemsOf returns the rules, lessons and references of a type of memory, including replaced rules.
// Decisions are references with that label.
func (f *Found) itemsOf(memoryType string) ([]knowledge.Item, error) {
	var items []knowledge.Item
	if memoryType == "any" || memoryType == "rule" {
		rules, replaced, err := f.View.Knowledge.Rules(f.Scope)
		if err != nil {
			return nil, err
		}
		items = append(items, rules...)
		items = append(items, replaced...)
	}
	for _, kind := range []knowledge.Kind{knowledge.Lesson, knowledge.Reference} {
		decisions := memoryType == string(knowledge.Decision) && kind == knowledge.Reference
		if memoryType != "any" && memoryType != string(kind) && !decisions {
			continue
		}
		list, err := f.View.Knowledge.List(knowledge.Filter{Kind: kind})
		if err != nil {
			return nil, err
		}
		if decisions {
			list = slices.DeleteFunc(list, func(it knowledge.Item) bool { return it.Label != knowledge.Decision })
		}
		items = append(items, f.ofScope(list)...)
	}
	return items, nil
}

// learned returns the items that match the query, with all rules as one candidate after the others.
func (f *Found) learned(query string, ranked []knowledge.RankedItem) []item.Item {
	var out []item.Item
	rules := item.Item{ID: rulesID, Kind: item.Rule, Title: rulesTitle, Reason: "active rules", Outdates: outdated(ranked)}
	var doubtful []bool // of the rules' lines: the rule is not confirmed
	for _, r := range ranked {
		if r.Score == 0 {
			continue
		}
		isCandidate := r.Item.Standing() == knowledge.Candidate
		if r.Item.Kind == knowledge.Rule {
			rules.Score, rules.Share = max(rules.Score, r.Score), max(rules.Share, r.Fit)
			rules.Lines = append(rules.Lines, item.Line{Messages: r.Item.MessageIDs, Text: ruleLine(r.Item), Score: r.Score})
			doubtful = append(doubtful, isCandidate)
			continue
		}
		c := f.candidateOf(query, r)
		c.Derived = isCandidate
		out = append(out, c)
	}
	if len(rules.Lines) > 0 {
		markDoubtful(&rules, doubtful)
		out = append(out, rules)
	}
	return out
}

// unconfirmed marks the line of a candidate among confirmed rules.
const unconfirmed, unconfirmedTitle = " (?)", "Rules not confirmed"

// markDoubtful marks the unconfirmed rules of a list; if all are, it uses the list's title.
func markDoubtful(rules *item.Item, doubtful []bool) {
	if !slices.Contains(doubtful, false) {
		rules.Derived = true
		rules.ID, rules.Title, rules.Reason = saidID, unconfirmedTitle, "candidates for rules, about the query; not confirmed yet"
		return
	}
	for i := range rules.Lines {
		if doubtful[i] {
			rules.Lines[i].Text += unconfirmed
			rules.Title = rulesTitle + ", (?) not confirmed"
		}
	}
}

// outdated returns the messages that state only what has been replaced.
func outdated(ranked []knowledge.RankedItem) []string {
	var out []string
	holds := map[string]bool{}
	for _, r := range ranked {
		for _, id := range r.Item.MessageIDs {
			if r.Outdated {
				out = append(out, id)
			} else {
				holds[id] = true
			}
		}
	}
	return slices.DeleteFunc(out, func(id string) bool { return holds[id] })
}

// ofScope returns the items that come from the conversation in scope; without a scope, all of them.
func (f *Found) ofScope(items []knowledge.Item) []knowledge.Item {
	if f.Scope == nil {
		return items
	}
	return slices.DeleteFunc(items, func(it knowledge.Item) bool {
		return !slices.ContainsFunc(it.SourceTurns, func(source string) bool {
			id, _, ok := knowledge.ParseSource(source)
			return ok && id == f.Scope.ID
		})
	})
}

func (f *Found) candidateOf(query string, r knowledge.RankedItem) item.Item {
	m := KnowledgeItem(r.Item)
	if r.Item.Assembled() {
		m.Body = quoted(query, r.Item, assembledTokens, f.Counter, f.Words)
	}
	c := item.Item{
		ID: m.ID, Kind: m.Kind, Title: m.Title, ConversationID: r.Item.Conversation, Score: r.Score, Share: r.Fit, Body: m.Body, MessageIDs: m.MessageIDs,
		Reason: "was learned from a conversation",
	}
	for _, source := range r.Item.SourceTurns {
		if id, turn, ok := knowledge.ParseSource(source); ok && (c.ConversationID == "" || id == c.ConversationID) {
			c.ConversationID, c.TurnID = id, turn
		}
	}
	switch {
	case r.Item.Team != nil:
		c.Reason = "was shared by " + authorName(r.Item.Team) + " of the team"
	case r.Item.Label != "":
		c.Reason = m.Reason
	case c.ConversationID == "":
		c.Reason = "was stored on purpose"
	}
	return c
}

// allTasks is the number of completed tasks that are examined: all stored ones.
const allTasks = 100

// tasks returns those that share words with the query; all if tasks are requested.
func (f *Found) tasks(query string, all bool) ([]item.Item, error) {
	completed, blockers, err := f.View.Tasks(allTasks)
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	f.Words(query, func(t string) { asked[t] = true })
	var out []item.Item
	for _, t := range slices.Concat(blockers, completed) {
		m := TaskItem(t)
		shared := map[string]bool{}
		f.Words(m.Title+" "+t.Intent+" "+m.Body, func(t string) {
			if asked[t] {
				shared[t] = true
			}
		})
		score := float64(len(shared)) / float64(max(1, len(asked)))
		if score < fits && !all {
			continue
		}
		out = append(out, item.Item{
			ID: m.ID, Kind: m.Kind, Title: m.Title, Date: t.At.UTC().Format("2006-01-02"), Score: score, Body: m.Body, Reason: m.Reason,
		})
	}
	return out, nil
}
