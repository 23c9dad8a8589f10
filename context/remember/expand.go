package remember

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Expand returns the item that an id of an answer names, in its forms from the longest to the
// shortest. Errors: conversation.ErrNotFound, knowledge.ErrNotFound.
func (f *Found) Expand(id string) ([]item.Item, error) {
	if rest, ok := strings.CutPrefix(id, ticklerPrefix); ok {
		id = turnsPrefix + rest
	}
	if talk, from, to, ok := ParseTurnsID(id); ok {
		return f.expandTurns(id, talk, from, to)
	}
	kind, rest, _ := strings.Cut(id, ":")
	switch kind {
	case "arc":
		return f.expandArc(id, rest)
	case "task", "blocker":
		return f.expandTask(id)
	case "board":
		return f.expandBoard(id, rest)
	case rulesID, cabinetID:
		if id != kind && id != saidID && id != suggestedID {
			break
		}
		return f.expandList(id)
	case "knowledge":
		it, err := f.View.Knowledge.Item(rest)
		if err != nil {
			return nil, err
		}
		return []item.Item{KnowledgeItem(it)}, nil
	}
	return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
}

// Item is [Found.Expand] in the conversation of the bundle, including what is known of topics and
// entities; nil when no item has the id.
func (p *Past) Item(ctx context.Context, id string) ([]item.Item, error) {
	prefix, subject, _ := strings.Cut(id, ":")
	if kind := item.Kind(prefix); kind == item.Topic || kind == item.Entity {
		return p.subject(ctx, kind, subject)
	}
	f := &Found{View: p.view, Counter: p.opts.Count, Words: p.opts.Terms}
	if p.info.ID != "" {
		f.Scope = &p.info
	}
	forms, err := f.Expand(id)
	for _, missing := range []error{conversation.ErrNotFound, knowledge.ErrNotFound} {
		if errors.Is(err, missing) {
			return nil, nil
		}
	}
	return forms, err
}

// subject returns what is known of a topic or an entity, at most as much as a bundle of the budget
// may show of one.
func (p *Past) subject(ctx context.Context, kind item.Kind, id string) ([]item.Item, error) {
	all, err := p.view.Subjects.All()
	if err != nil {
		return nil, err
	}
	s := all.Subject(id)
	if s == nil || !strings.HasPrefix(id, string(kind)+"-") {
		return nil, nil
	}
	m, ok, err := p.profile(ctx, kind, s, p.opts.Budget/subjectShare, 1)
	if err != nil || !ok {
		return nil, err
	}
	m.Reason = "requested by its id"
	return []item.Item{m}, nil
}

// subjectShare is the part of the budget, one in so many, that one topic or entity may take when it
// is requested.
const subjectShare = 4

// expandList returns all active rules, the unconfirmed ones, or the titles of all stored texts.
func (f *Found) expandList(id string) (out []item.Item, err error) {
	p := &Past{view: f.View, opts: Options{Count: f.Counter}}
	if f.Scope != nil {
		p.info = *f.Scope
	}
	switch id {
	case rulesID:
		out, err = f.inForce()
	case saidID:
		out, err = p.unconfirmed(item.Item{ID: saidID, Title: saidTitle, Reason: "candidates for rules, not confirmed yet"}, saidLine)
	case suggestedID:
		out, err = p.unconfirmed(item.Item{ID: suggestedID, Title: suggestedTitle, Reason: "rules of teammates, not accepted"}, suggestedLine)
	default:
		out, err = p.cabinet(math.MaxInt)
	}
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
	}
	return out, err
}

// inForce returns the active rules.
func (f *Found) inForce() ([]item.Item, error) {
	all, _, err := f.View.Knowledge.Rules(f.Scope)
	all = slices.DeleteFunc(all, func(it knowledge.Item) bool { return it.Standing() != knowledge.Confirmed })
	if err != nil || len(all) == 0 {
		return nil, err
	}
	m := item.Item{ID: rulesID, Kind: item.Rule, Title: rulesTitle, Format: "full", Score: 1, Reason: "active rules"}
	var lines []string
	for _, it := range all {
		lines = append(lines, ruleLine(it))
		m.MessageIDs = append(m.MessageIDs, it.MessageIDs...)
	}
	m.Body = strings.Join(lines, "\n")
	return []item.Item{m}, nil
}

// unconfirmed returns all rules of a list of those that are not confirmed, as a bundle quotes them,
// each written by line.
func (p *Past) unconfirmed(m item.Item, line func(knowledge.Item) string) ([]item.Item, error) {
	all, _, err := p.view.Knowledge.Rules(nil)
	if err != nil {
		return nil, err
	}
	m.Kind, m.Format, m.Score = item.Rule, "full", 1
	var lines []string
	for _, it := range all {
		if it.Standing() == knowledge.Candidate && (it.Team != nil) == (m.ID == suggestedID) {
			lines = append(lines, line(it))
			m.MessageIDs = append(m.MessageIDs, it.MessageIDs...)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	m.Body = strings.Join(lines, "\n")
	return []item.Item{m}, nil
}

// expandBoard returns an item on a conversation's board.
func (f *Found) expandBoard(id, rest string) ([]item.Item, error) {
	slash := strings.LastIndexByte(rest, '/')
	if slash < 0 {
		return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
	}
	p := &Past{view: f.View}
	var err error
	if p.info, err = f.View.Conversations.Find(rest[:slash]); err != nil {
		return nil, err
	}
	items, err := p.OnBoard()
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		if it.ID == rest[slash+1:] {
			return []item.Item{p.boardItem(it)}, nil
		}
	}
	return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
}

// maxRawTurns is the largest run of turns that is shown raw or smoothed, and maxTurnsShown the
// largest of which all turns are shown.
const maxRawTurns, maxTurnsShown = 1000, 10_000

// expandTurns returns turns raw, and at lower levels if that is too long.
func (f *Found) expandTurns(id, talk string, from, to int) ([]item.Item, error) {
	info, err := f.View.Conversations.Find(talk)
	if err != nil {
		return nil, err
	}
	if to > info.Turns {
		return nil, fmt.Errorf("turn %s of conversation %q: %w", dialogue.TurnID(to), talk, conversation.ErrNotFound)
	}
	levels := []dialogue.Level{dialogue.Raw, dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny}
	if to-from >= maxRawTurns {
		levels = levels[2:]
	}
	from = max(from, to-maxTurnsShown+1)
	var out []item.Item
	for _, level := range levels {
		m := item.Item{
			ID: id, Kind: item.Turn, Tag: dialogue.RangeTag(from, to, level), Title: "Turn " + fmt.Sprint(from), Format: "summary", Score: 1,
			Reason: "requested by its id", ConversationID: talk, TurnID: dialogue.TurnID(from),
		}
		if level == dialogue.Raw {
			m.Format = "full"
		}
		var bodies []string
		for n := from; n <= to; n++ {
			text, err := f.View.Turns.Text(info, n, level)
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, text.Body)
			m.MessageIDs = append(m.MessageIDs, text.MessageIDs...)
		}
		m.Body = strings.Join(bodies, "\n")
		out = append(out, m)
	}
	return out, nil
}

func (f *Found) expandArc(id, talk string) ([]item.Item, error) {
	info, err := f.View.Conversations.Find(talk)
	if err != nil {
		return nil, err
	}
	var out []item.Item
	for _, style := range []arc.Style{arc.Dense, arc.Rich, arc.Light} {
		a, err := f.View.Arcs.Of(info, style, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, item.Item{ID: id, Kind: item.Arc, Body: a.Text, Format: "full", Score: 1, Reason: "requested by its id", ConversationID: talk})
	}
	return out, nil
}

func (f *Found) expandTask(id string) ([]item.Item, error) {
	const all = 100
	completed, blockers, err := f.View.Tasks(all)
	if err != nil {
		return nil, err
	}
	for _, t := range append(blockers, completed...) {
		if m := TaskItem(t); m.ID == id {
			return []item.Item{m}, nil
		}
	}
	return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
}

// KnowledgeItem returns the item of an item of knowledge.
func KnowledgeItem(it knowledge.Item) item.Item {
	m := item.Item{
		ID: knowledgePrefix + it.ID, Kind: item.Kind(it.Kind), Title: it.Title, Body: it.Content, Format: "full", Score: 1, Reason: "was learned",
		MessageIDs: it.MessageIDs,
	}
	switch {
	case it.Kind == knowledge.Rule && strings.EqualFold(strings.TrimRight(it.Title, "."), strings.TrimRight(it.Content, ".")):
		m.Title = ""
	case it.Kind != knowledge.Rule && it.InWords():
		m.Title = datedTitle(it) // its own would only repeat the beginning of the content
	}
	if it.Team != nil {
		m.Title = strings.TrimSpace(m.Title + " (by " + authorName(it.Team) + ", a teammate)")
	}
	if it.Label != "" {
		m.Reason = "was stored as a " + string(it.Label)
	}
	if it.Assembled() {
		m.Body = allQuoted(it)
	}
	if len(it.Topics) > 0 {
		m.Attrs = append(m.Attrs, item.Attr{Name: "topics", Value: strings.Join(it.Topics, ", ")})
	}
	return m
}

// datedTitle returns a title with the day for what a person asked to remember.
func datedTitle(it knowledge.Item) string {
	name := cmp.Or(string(it.Label), string(it.Kind))
	return strings.ToUpper(name[:1]) + name[1:] + " of " + it.UpdatedAt.UTC().Format("2006-01-02")
}
