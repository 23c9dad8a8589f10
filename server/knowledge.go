package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/learning"
	"github.com/contexture-dev/contexture/server/session"
)

// KnowledgePut implements command.Commands.
func (c knowledgeCommands) KnowledgePut(ctx context.Context, args *command.KnowledgePutArgs) (*command.KnowledgeItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	item := knowledge.Item{
		ID: args.ID, Kind: knowledge.Kind(args.Kind), Title: args.Title, Content: args.Content, Topics: args.Topics, Keywords: args.Keywords,
		Weight: args.Weight, SourceTurns: args.SourceTurns,
	}
	put := w.PutKnowledge
	if args.About != nil {
		item.Scope, put = *args.About, w.PutScoped
	}
	it, err := put(item)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	return &command.KnowledgeItemResult{Item: knowledgeItem(it)}, nil
}

// KnowledgeGet implements command.Commands.
func (c knowledgeCommands) KnowledgeGet(ctx context.Context, args *command.KnowledgeIDArgs) (*command.KnowledgeItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	if told, err := episodeByID(ctx, v, args.ID); err != nil || told != nil {
		return &command.KnowledgeItemResult{Item: *cmp.Or(told, &command.KnowledgeItem{})}, engine.MemoryError(err)
	}
	it, err := v.Knowledge.Item(args.ID)
	if err != nil {
		return nil, named(err, "item %q of knowledge", args.ID)
	}
	return &command.KnowledgeItemResult{Item: knowledgeItem(it)}, nil
}

// KnowledgeList implements command.Commands.
func (c knowledgeCommands) KnowledgeList(ctx context.Context, args *command.KnowledgeListArgs) (*command.KnowledgeListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	if args.Kind == episodeKind || args.Kind == monthKind {
		list, err := episodeItems(ctx, v, args.Kind, args.Topic)
		return &command.KnowledgeListResult{Items: list}, engine.MemoryError(err)
	}
	items, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Kind(args.Kind), Topic: args.Topic, Superseded: args.Superseded})
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.KnowledgeListResult{}
	for _, it := range items {
		out.Items = append(out.Items, knowledgeItem(it))
	}
	return out, nil
}

// KnowledgeAccept implements command.Commands.
func (c knowledgeCommands) KnowledgeAccept(ctx context.Context, args *command.KnowledgeIDArgs) (*command.KnowledgeItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	it, err := w.AcceptKnowledge(args.ID, knowledge.AcceptedBy)
	if err != nil {
		return nil, named(err, "item %q of knowledge", args.ID)
	}
	return &command.KnowledgeItemResult{Item: knowledgeItem(it)}, nil
}

// KnowledgeDelete implements command.Commands.
func (c knowledgeCommands) KnowledgeDelete(ctx context.Context, args *command.KnowledgeIDArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.DeleteKnowledge(args.ID); err != nil {
		return nil, named(err, "item %q of knowledge", args.ID)
	}
	if err := hosts.RemoveTexts(c.server.Options.StateDir); err != nil {
		return nil, err
	}
	return &command.Deleted{Deleted: true}, nil
}

// KnowledgeProcess implements command.Commands.
func (c knowledgeCommands) KnowledgeProcess(ctx context.Context, args *command.ProcessArgs) (*command.ProcessResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	start := c.server.Now()
	of, release := c.materialOf(ctx, r)
	defer release()
	p, err := c.server.learning.Run(ctx, w, memory.Processing{Full: args.Full, Documents: of.Documents, Gone: of.Gone, Reason: "on demand"})
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	return &command.ProcessResult{
		Version: p.Version, Lessons: p.Lessons, References: p.References, Rules: p.Rules, Topics: p.Topics, Entities: p.Entities, Merged: p.Merged, Pruned: p.Pruned,
		MS: command.Milliseconds(c.server.Now().Sub(start)),
	}, nil
}

// KnowledgeRecommendations implements command.Commands.
func (c knowledgeCommands) KnowledgeRecommendations(ctx context.Context, args *command.Empty) (*command.RecommendationsResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	list, err := v.Knowledge.Recommendations()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.RecommendationsResult{}
	for _, r := range list {
		one := command.Recommendation{Kind: string(r.Kind), Topic: r.Topic, Reason: r.Reason, Action: r.Action, Command: r.Command, Evidence: r.Evidence}
		for _, q := range r.Quotations {
			one.Quotations = append(one.Quotations, quotation(q))
		}
		out.Recommendations = append(out.Recommendations, one)
	}
	return out, nil
}

func knowledgeItem(it knowledge.Item) command.KnowledgeItem {
	out := command.KnowledgeItem{
		ID: it.ID, Kind: string(it.Kind), Label: string(it.Label), Title: it.Title, Content: it.Content, Topics: it.Topics, Keywords: it.Keywords,
		Weight: it.Weight, SourceTurns: it.SourceTurns, State: string(it.Standing()), Cause: it.Cause(), Why: it.Why(), Scope: it.Scope, SupersededBy: it.SupersededBy,
		SharedBy:  sharedBy(it.Team),
		CreatedAt: command.TimeOf(it.CreatedAt), UpdatedAt: command.TimeOf(it.UpdatedAt),
	}
	for _, q := range it.Quotations {
		out.Quotations = append(out.Quotations, quotation(q))
	}
	return out
}

func quotation(q knowledge.Quotation) command.Quotation {
	out := command.Quotation{
		ConversationID: q.Conversation, TurnID: q.Turn, MessageID: q.Message, Path: q.Path, Line: q.Line, Text: q.Text, Author: q.Author,
	}
	if !q.At.IsZero() {
		at := command.TimeOf(q.At)
		out.At = &at
	}
	return out
}

// maxRuleChars bounds a rule: a longer one would leave the others no room in a bundle.
const maxRuleChars = 2000

// Remember implements command.Commands.
func (c knowledgeCommands) Remember(ctx context.Context, args *command.RememberArgs) (*command.RememberResult, error) {
	it, ok := knowledge.Worded(args.Kind, args.Text)
	switch n := utf8.RuneCountInString(it.Content); {
	case !ok:
		return nil, command.InvalidParams("kind", "%q is not rule, decision, lesson or note", args.Kind)
	case strings.TrimSpace(args.Text) == "":
		return nil, command.InvalidParams("text", "holds nothing to remember")
	case it.Kind == knowledge.Rule && n > maxRuleChars:
		return nil, command.InvalidParams("text", "a rule may have %d characters, this one has %d: store it as a note, or as several rules", maxRuleChars, n)
	}
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	it.Topics = args.Topics
	if it, err = w.PutKnowledge(it); err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.RememberResult{Item: knowledgeItem(it)}
	if it.Kind != knowledge.Rule {
		return out, nil
	}
	v := w.View()
	defer v.Close()
	rules, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Rule, Superseded: true})
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	for _, old := range rules {
		if old.SupersededBy == it.ID {
			out.Replaced = append(out.Replaced, knowledgeItem(old))
		}
	}
	return out, nil
}

// KnowledgeDigest implements command.Commands.
func (c knowledgeCommands) KnowledgeDigest(ctx context.Context, args *command.Empty) (*command.DigestResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	d, err := v.Knowledge.Digest()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.DigestResult{}
	for _, p := range d.Preferences {
		one := command.Preference{
			ID: p.ID, Text: p.Text, State: string(p.State), Times: p.Times, ConversationCount: p.Conversations, LastAt: command.TimeOf(p.Last),
		}
		for _, q := range p.Quotations {
			one.Quotations = append(one.Quotations, quotation(q))
		}
		out.Preferences = append(out.Preferences, one)
	}
	for _, m := range d.Mistakes {
		one := command.Mistake{Problem: m.Problem, Times: m.Times, Worked: m.Worked, Lessons: m.Lessons, LastAt: command.TimeOf(m.Last)}
		for _, q := range m.Quotations {
			one.Quotations = append(one.Quotations, quotation(q))
		}
		out.Mistakes = append(out.Mistakes, one)
	}
	return out, nil
}

// The kinds of items that are made from episodes. An episode's id begins with its kind and a
// hyphen, and so does a month's.
const (
	episodeKind = "episode"
	monthKind   = "month"
)

// The most conversations in the item of a month, and the most quotations of each.
const mostOfMonth, mostOfConversation = 12, 3

// episodeItems lists episodes or months, the newest first; with a topic, the episodes that are
// found by it, the best first.
func episodeItems(ctx context.Context, v *memory.View, kind, topic string) (out []command.KnowledgeItem, err error) {
	if kind == monthKind {
		topic = ""
	}
	all, err := v.Episodes(ctx, topic)
	if err != nil {
		return nil, err
	}
	if kind == episodeKind {
		for i := range all {
			out = append(out, episodeItem(&all[i]))
		}
		return out, nil
	}
	for len(all) > 0 {
		month := monthOf(&all[0])
		n := 1
		for n < len(all) && monthOf(&all[n]) == month {
			n++
		}
		out, all = append(out, monthItem(month, all[:n])), all[n:]
	}
	return out, nil
}

func monthOf(e *memory.Episode) string { return e.End.UTC().Format("2006-01") }

// episodeByID returns the episode or the month with an id, nil when there is none.
func episodeByID(ctx context.Context, v *memory.View, id string) (*command.KnowledgeItem, error) {
	kind, _, _ := strings.Cut(id, "-")
	if kind != episodeKind && kind != monthKind {
		return nil, nil
	}
	all, err := episodeItems(ctx, v, kind, "")
	if i := slices.IndexFunc(all, func(it command.KnowledgeItem) bool { return it.ID == id }); i >= 0 {
		return &all[i], nil
	}
	return nil, err
}

func episodeItem(e *memory.Episode) command.KnowledgeItem {
	out := command.KnowledgeItem{
		ID: e.ID, Kind: episodeKind, Title: e.Title, Weight: float64(len(e.Notes)), State: string(knowledge.Candidate),
		CreatedAt: command.TimeOf(e.Begin), UpdatedAt: command.TimeOf(e.End), SourceTurns: []string{knowledge.SourceTurn(e.Conversation, dialogue.TurnID(1))},
	}
	out.Content = strings.Join(settledLines(e.Notes, &out), "\n")
	return out
}

// monthItem returns the item of a month: the episodes in which most was settled, in chronological
// order, with what was decided and what worked. episodes are those of the month, the newest first.
func monthItem(month string, episodes []memory.Episode) command.KnowledgeItem {
	out := command.KnowledgeItem{ID: monthKind + "-" + month, Kind: monthKind, Title: month, Weight: float64(len(episodes)), State: string(knowledge.Candidate)}
	list := slices.Clone(episodes)
	slices.SortStableFunc(list, func(a, b memory.Episode) int { return cmp.Compare(len(b.Notes), len(a.Notes)) })
	list = list[:min(len(list), mostOfMonth)]
	slices.SortStableFunc(list, func(a, b memory.Episode) int { return a.Begin.Compare(b.Begin) })
	out.CreatedAt = command.TimeOf(list[0].Begin)
	var lines []string
	for i := range list {
		e := &list[i]
		notes := slices.DeleteFunc(slices.Clone(e.Notes), func(n knowledge.Conclusion) bool { return n.Part != knowledge.Decided && n.Part != knowledge.Worked })
		out.SourceTurns = append(out.SourceTurns, knowledge.SourceTurn(e.Conversation, dialogue.TurnID(1)))
		lines = append(lines, e.Title)
		for _, line := range settledLines(notes[:min(len(notes), mostOfConversation)], &out) {
			lines = append(lines, "  "+line)
		}
		out.UpdatedAt = command.TimeOf(e.End)
	}
	out.Content = strings.Join(lines, "\n")
	return out
}

// settledLines adds the quotations to an item, and returns a line for each.
func settledLines(notes []knowledge.Conclusion, into *command.KnowledgeItem) (lines []string) {
	for _, n := range notes {
		lines = append(lines, string(n.Part)+": "+strings.Join(strings.Fields(n.Text), " "))
		into.Quotations = append(into.Quotations, quotation(n.Quotation))
		if source := knowledge.SourceTurn(n.Conversation, n.Turn); !slices.Contains(into.SourceTurns, source) {
			into.SourceTurns = append(into.SourceTurns, source)
		}
	}
	return lines
}

// materialOf returns what the files of a root contribute to learning. release must be called when
// it is no longer used.
func (c knowledgeCommands) materialOf(ctx context.Context, r *session.RootView) (m learning.Material, release func()) {
	if r == nil {
		return learning.Material{}, func() {}
	}
	src, err := c.Open(ctx, r)
	if err != nil {
		c.Session.Log.Warn("references quote no documents", "err", err)
		return learning.Material{}, func() {}
	}
	if src.Snapshot == nil || src.Behind {
		return learning.Material{}, src.Release
	}
	return learning.MaterialIn(src.Snapshot), src.Release
}
