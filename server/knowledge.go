package server

import (
	"context"

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

func knowledgeItem(it knowledge.Item) command.KnowledgeItem {
	return command.KnowledgeItem{
		ID: it.ID, Kind: string(it.Kind), Title: it.Title, Content: it.Content, Topics: it.Topics, Keywords: it.Keywords, Weight: it.Weight,
		SourceTurns: it.SourceTurns, SupersededBy: it.SupersededBy, CreatedAt: wireTime(it.CreatedAt), UpdatedAt: wireTime(it.UpdatedAt),
	}
}
