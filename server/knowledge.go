package server

import (
	"context"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
)

// KnowledgePut implements command.Commands.
func (c commands) KnowledgePut(ctx context.Context, args *command.KnowledgePutArgs) (*command.KnowledgeItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	it, err := w.PutKnowledge(knowledge.Item{
		ID: args.ID, Kind: knowledge.Kind(args.Kind), Title: args.Title, Content: args.Content, Topics: args.Topics, Keywords: args.Keywords,
		Weight: args.Weight, SourceTurns: args.SourceTurns,
	})
	if err != nil {
		return nil, memoryError(err)
	}
	return &command.KnowledgeItemResult{Item: knowledgeItem(it)}, nil
}

// KnowledgeGet implements command.Commands.
func (c commands) KnowledgeGet(ctx context.Context, args *command.KnowledgeIDArgs) (*command.KnowledgeItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	it, err := v.KnowledgeItem(args.ID)
	if err != nil {
		return nil, named(err, "item %q of knowledge", args.ID)
	}
	return &command.KnowledgeItemResult{Item: knowledgeItem(it)}, nil
}

// KnowledgeList implements command.Commands.
func (c commands) KnowledgeList(ctx context.Context, args *command.KnowledgeListArgs) (*command.KnowledgeListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	items, err := v.Knowledge(knowledge.Filter{Kind: knowledge.Kind(args.Kind), Topic: args.Topic, Superseded: args.Superseded})
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.KnowledgeListResult{}
	for _, it := range items {
		out.Items = append(out.Items, knowledgeItem(it))
	}
	return out, nil
}

// KnowledgeAccept implements command.Commands.
func (c commands) KnowledgeAccept(ctx context.Context, args *command.KnowledgeIDArgs) (*command.KnowledgeItemResult, error) {
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
func (c commands) KnowledgeDelete(ctx context.Context, args *command.KnowledgeIDArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.DeleteKnowledge(args.ID); err != nil {
		return nil, named(err, "item %q of knowledge", args.ID)
	}
	return &command.Deleted{Deleted: true}, nil
}

// KnowledgeTopics implements command.Commands.
func (c commands) KnowledgeTopics(ctx context.Context, args *command.Empty) (*command.TopicsResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	all, err := v.Profiles()
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.TopicsResult{}
	for i := range all.Topics {
		out.Topics = append(out.Topics, topic(&all.Topics[i]))
	}
	return out, nil
}

// KnowledgeProcess implements command.Commands.
func (c commands) KnowledgeProcess(ctx context.Context, args *command.ProcessArgs) (*command.ProcessResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	start := c.session.server.now()
	documents, release := c.documentsOf(ctx, r)
	defer release()
	p, err := c.session.server.learning.run(ctx, w, memory.Processing{Full: args.Full, Documents: documents, Reason: "on demand"})
	if err != nil {
		return nil, memoryError(err)
	}
	return &command.ProcessResult{
		Version: p.Version, Lessons: p.Lessons, References: p.References, Rules: p.Rules, Topics: p.Topics, Entities: p.Entities, Merged: p.Merged, Pruned: p.Pruned,
		MS: milliseconds(c.session.server.now().Sub(start)),
	}, nil
}

// KnowledgeRecommendations implements command.Commands.
func (c commands) KnowledgeRecommendations(ctx context.Context, args *command.Empty) (*command.RecommendationsResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	list, err := v.Recommendations()
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.RecommendationsResult{}
	for _, r := range list {
		out.Recommendations = append(out.Recommendations, command.Recommendation{Kind: string(r.Kind), Topic: r.Topic, Reason: r.Reason, Evidence: r.Evidence})
	}
	return out, nil
}

func knowledgeItem(it knowledge.Item) command.KnowledgeItem {
	out := command.KnowledgeItem{
		ID: it.ID, Kind: string(it.Kind), Label: string(it.Label), Title: it.Title, Content: it.Content, Topics: it.Topics, Keywords: it.Keywords,
		Weight: it.Weight, SourceTurns: it.SourceTurns, State: string(it.Standing()), Why: standingReason(&it), Scope: it.Scope, SupersededBy: it.SupersededBy,
		CreatedAt: wireTime(it.CreatedAt), UpdatedAt: wireTime(it.UpdatedAt),
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
		at := wireTime(q.At)
		out.At = &at
	}
	return out
}

// standingReason says in words why an item has its state.
func standingReason(it *knowledge.Item) string {
	switch {
	case it.SupersededBy != "":
		return "replaced by " + it.SupersededBy
	case it.Standing() == knowledge.Candidate:
		return "found in what was said; not confirmed yet"
	}
	switch it.Confirmation {
	case knowledge.RepeatedBy:
		return "said in two conversations or more"
	case knowledge.AcceptedBy:
		return "accepted"
	case knowledge.ModelBy:
		return "confirmed by the chat model"
	}
	return "stored on purpose"
}
