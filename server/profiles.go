package server

import (
	"context"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/server/command"
)

// KnowledgeEntities implements command.Commands.
func (c commands) KnowledgeEntities(ctx context.Context, args *command.EntitiesArgs) (*command.EntitiesResult, error) {
	all, err := c.profiles(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.EntitiesResult{}
	for i := range all.Entities {
		e := &all.Entities[i]
		if args.Kind == "" || args.Kind == string(e.Kind) {
			out.Entities = append(out.Entities, command.Entity{
				ID: e.ID, Kind: string(e.Kind), Name: e.Label, Names: e.Names, Weight: e.Weight, Trend: string(e.Trend), LastEngagedAt: wireTime(e.Last),
				TurnCount: e.Count, Pinned: e.Pinned,
			})
		}
	}
	return out, nil
}

// KnowledgeProfile implements command.Commands.
func (c commands) KnowledgeProfile(ctx context.Context, args *command.ProfileArgs) (*command.ProfileResult, error) {
	all, err := c.profiles(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	p := profileOf(&all.Set, args.ID)
	if p == nil {
		return nil, command.NotFound("topic or entity " + args.ID)
	}
	return &command.ProfileResult{Profile: *p}, nil
}

// KnowledgeStatus implements command.Commands.
func (c commands) KnowledgeStatus(ctx context.Context, args *command.Empty) (*command.LearningStatus, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	return c.session.server.learning.status(w)
}

// KnowledgeSteer implements command.Commands.
func (c commands) KnowledgeSteer(ctx context.Context, args *command.SteerArgs) (*command.SteerResult, error) {
	switch {
	case args.Act == string(profile.Rename) && args.Label == "":
		return nil, command.InvalidParams("label", "is required to rename")
	case args.Act == string(profile.Merge) && args.Into == "":
		return nil, command.InvalidParams("into", "is required to merge")
	}
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	set, err := w.Steer(profile.Steering{Act: profile.Act(args.Act), ID: args.ID, Label: args.Label, Into: args.Into})
	if err != nil {
		return nil, named(err, "topic or entity %q, or one of its kind to merge it into", args.ID)
	}
	id := args.ID
	if args.Act == string(profile.Merge) {
		id = args.Into
	}
	return &command.SteerResult{Profile: profileOf(&set, id)}, nil
}

func (c commands) profiles(ctx context.Context, workspace string) (*knowledge.Profiles, error) {
	w, _, err := c.remembered(ctx, workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	all, err := v.Profiles()
	return all, memoryError(err)
}

func topic(t *profile.Topic) command.Topic {
	return command.Topic{
		Topic: t.Label, Weight: t.Weight, Trend: string(t.Trend), LastEngagedAt: wireTime(t.Last), ID: t.ID, Names: t.Names, TurnCount: t.Count,
		Pinned: t.Pinned,
	}
}

// profileOf is the profile of an id, nil where there is none.
func profileOf(set *profile.Set, id string) *command.Profile {
	s := set.Subject(id)
	if s == nil {
		return nil
	}
	out := &command.Profile{
		ID: s.ID, Kind: "topic", Label: s.Label, Names: s.Names, Weight: s.Weight, Trend: string(s.Trend), FirstAt: wireTime(s.First),
		LastEngagedAt: wireTime(s.Last), TurnCount: s.Count, Turns: s.Turns, Files: s.Files, Related: s.Related, Merged: s.Merged, Split: s.Split, Pinned: s.Pinned,
	}
	for i := range set.Entities {
		if set.Entities[i].ID == id {
			out.Kind = string(set.Entities[i].Kind)
		}
	}
	for _, st := range s.Statements {
		q := quotation(knowledge.Quotation{Conversation: st.Conversation, Turn: st.Turn, Message: st.Message, Text: st.Text, At: st.At, Author: st.Author})
		out.Statements = append(out.Statements, command.Statement{Part: string(st.Part), Quotation: q})
	}
	return out
}
