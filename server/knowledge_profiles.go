package server

import (
	"context"
	"errors"
	"strings"

	"github.com/contexture-dev/contexture/context/survey"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
)

// KnowledgeTopics implements command.Commands.
func (c knowledgeCommands) KnowledgeTopics(ctx context.Context, args *command.Empty) (*command.TopicsResult, error) {
	all, err := c.subjects(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.TopicsResult{HistoryWeek: historyWeek(all)}
	for i := range all.Topics {
		t := &all.Topics[i]
		out.Topics = append(out.Topics, command.Topic{
			Topic: t.Label, Weight: t.Weight, Trend: string(t.Trend), LastEngagedAt: command.TimeOf(t.Last), ID: t.ID, Names: t.Names, TurnCount: t.Count,
			History: t.Weeks, Pinned: t.Pinned,
		})
	}
	return out, nil
}

// KnowledgeEntities implements command.Commands.
func (c knowledgeCommands) KnowledgeEntities(ctx context.Context, args *command.EntitiesArgs) (*command.EntitiesResult, error) {
	all, err := c.subjects(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.EntitiesResult{HistoryWeek: historyWeek(all)}
	for i := range all.Entities {
		e := &all.Entities[i]
		if args.Kind == "" || args.Kind == string(e.Class) {
			out.Entities = append(out.Entities, command.Entity{
				ID: e.ID, Kind: string(e.Class), Name: e.Label, Names: e.Names, Weight: e.Weight, Trend: string(e.Trend), LastEngagedAt: command.TimeOf(e.Last),
				TurnCount: e.Count, History: e.Weeks, Pinned: e.Pinned,
			})
		}
	}
	return out, nil
}

// KnowledgeGraph implements command.Commands.
func (c knowledgeCommands) KnowledgeGraph(ctx context.Context, args *command.GraphArgs) (*command.GraphResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	g, err := v.Subjects.Graph(args.Limit)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.GraphResult{Left: g.Left}
	for _, n := range g.Nodes {
		out.Nodes = append(out.Nodes, command.GraphNode{ID: n.ID, Kind: n.Kind, Label: n.Label, Weight: n.Weight, Trend: string(n.Trend), TurnCount: n.Turns})
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, command.GraphEdge{From: e.From, To: e.To, Weight: e.Turns})
	}
	return out, nil
}

// historyWeek returns the beginning of the last week of histories, nil when unknown.
func historyWeek(set *subject.Set) *command.Time {
	if set.Latest.IsZero() {
		return nil
	}
	at := command.TimeOf(subject.WeekOf(set.Latest))
	return &at
}

// KnowledgeProfile implements command.Commands.
func (c knowledgeCommands) KnowledgeProfile(ctx context.Context, args *command.ProfileArgs) (*command.ProfileResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	p, err := profileOf(ctx, w, args.ID)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	if p == nil {
		return nil, command.NotFound("topic or entity " + args.ID)
	}
	return &command.ProfileResult{Profile: *p}, nil
}

// KnowledgeStatus implements command.Commands.
func (c knowledgeCommands) KnowledgeStatus(ctx context.Context, args *command.Empty) (*command.LearningStatus, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	return c.server.learning.Status(w)
}

// KnowledgeSteer implements command.Commands.
func (c knowledgeCommands) KnowledgeSteer(ctx context.Context, args *command.SteerArgs) (*command.SteerResult, error) {
	switch {
	case args.Act == string(subject.Rename) && args.Label == "":
		return nil, command.InvalidParams("label", "is required to rename")
	case args.Act == string(subject.Merge) && args.Into == "":
		return nil, command.InvalidParams("into", "is required to merge")
	}
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.Steer(subject.Steering{Act: subject.Act(args.Act), ID: args.ID, Label: args.Label, Into: args.Into}); err != nil {
		return nil, named(err, "topic or entity %q, or one of its kind to merge it into", args.ID)
	}
	id := args.ID
	if args.Act == string(subject.Merge) {
		id = args.Into
	}
	p, err := profileOf(ctx, w, id)
	return &command.SteerResult{Profile: p}, engine.MemoryError(err)
}

func (c knowledgeCommands) subjects(ctx context.Context, workspace string) (*subject.Set, error) {
	w, _, err := c.remembered(ctx, workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	all, err := v.Subjects.All()
	return all, engine.MemoryError(err)
}

// profileOf returns the profile with an id, nil when there is none.
func profileOf(ctx context.Context, w *memory.Workspace, id string) (*command.Profile, error) {
	v := w.View()
	defer v.Close()
	all, err := v.Subjects.All()
	if err != nil {
		return nil, err
	}
	s := all.Subject(id)
	if s == nil {
		return nil, nil
	}
	known, err := v.Describe(ctx, s)
	if err != nil {
		return nil, err
	}
	out := &command.Profile{
		ID: s.ID, Kind: s.Kind(), Label: s.Label, Names: s.Names, Weight: s.Weight, Trend: string(s.Trend), FirstAt: command.TimeOf(s.First),
		LastEngagedAt: command.TimeOf(s.Last), TurnCount: s.Count, Turns: s.Turns, Files: known.Files, Related: known.Related, Merged: s.Merged, Pinned: s.Pinned,
	}
	for _, st := range known.Statements {
		out.Statements = append(out.Statements, command.Statement{Part: string(st.Part), Quotation: quotation(st.Quotation)})
	}
	return out, nil
}

// surveyedCommits is how many of the latest commits are examined for the form of their first lines.
const surveyedCommits = 200

// KnowledgeWorkspace implements command.Commands.
func (c knowledgeCommands) KnowledgeWorkspace(ctx context.Context, args *command.Empty) (*command.WorkspaceFactsResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	src, err := c.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer src.Release()
	out := &command.WorkspaceFactsResult{Degraded: src.Lacks()}
	if src.Snapshot == nil {
		return out, nil
	}
	in := survey.Input{Source: &surveySource{src.Snapshot, src.Snapshot.NewReader()}}
	if r != nil {
		in.Subjects, err = firstLines(ctx, r.Path)
		if err != nil && ctx.Err() == nil {
			out.Degraded = append(out.Degraded, command.Degradation{Stage: "history", Reason: "error", Detail: err.Error()})
		}
	}
	facts, err := survey.Of(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		one := command.WorkspaceFact{Kind: string(f.Kind), Name: f.Name, Value: f.Value, Count: f.Count, Of: f.Of}
		for _, e := range f.Evidence {
			one.Evidence = append(one.Evidence, command.FactEvidence{Path: e.Path, Line: e.Line, Text: e.Text})
		}
		out.Facts = append(out.Facts, one)
	}
	return out, nil
}

// firstLines returns the first lines of the latest commits below a root; none without a history.
func firstLines(ctx context.Context, root string) ([]string, error) {
	hashes, err := history.List(ctx, root, surveyedCommits)
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	var out []string
	err = history.Load(ctx, root, hashes, func(c history.Commit) error {
		if line, _, _ := strings.Cut(c.Message, "\n"); line != "" {
			out = append(out, line)
		}
		return nil
	})
	if errors.Is(err, history.ErrNoTrees) { // the messages are available
		err = nil
	}
	return out, err
}

// surveySource is a snapshot as a source of surveys.
type surveySource struct {
	snapshot *indexer.Snapshot
	reader   *indexer.Reader
}

// Files implements survey.Source.
func (s *surveySource) Files(yield func(path, language string)) {
	s.snapshot.Paths(func(file int, path string) { yield(path, s.snapshot.Language(file)) })
}

// Read implements survey.Source.
func (s *surveySource) Read(path string) (string, bool) {
	file, ok := s.snapshot.File(path)
	if !ok {
		return "", false
	}
	defer s.reader.Drop(file) // a survey reads each file once
	text, gate := s.reader.File(file)
	return string(text), gate == ""
}
