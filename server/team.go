package server

import (
	"context"
	"errors"
	"time"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/team"
)

// syncPatience bounds how long a command waits for a team's servers.
const syncPatience = 15 * time.Second

// teamRoot returns the root whose repository a command concerns. A team's servers are asked from
// then on, unless the session is offline.
func (c teamCommands) teamRoot(ctx context.Context, workspace string) (*session.RootView, error) {
	r, err := c.Root(workspace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, command.Unavailable("a team, without a workspace,")
	}
	set := c.settingsOf(r)
	if !set.Enabled || !set.Memory.Enabled || !set.Team.Enabled {
		return nil, command.Unavailable("the team, by the settings enabled, memory.enabled and team.enabled,")
	}
	if !c.Session.Options.Offline {
		c.server.teams.Start(ctx)
	}
	return r, nil
}

// teamError converts the errors of package team into the contract's.
func teamError(err error) error {
	switch {
	case errors.Is(err, team.ErrNoRepository), errors.Is(err, team.ErrNotJoined), errors.Is(err, history.ErrShallow), errors.Is(err, history.ErrNoGit):
		return command.Failed(err)
	case errors.Is(err, context.DeadlineExceeded):
		return command.Failed(errors.New("the team's servers did not answer in time; everything is kept and sent later"))
	}
	return engine.MemoryError(err)
}

// TeamStatus implements command.Commands.
func (c teamCommands) TeamStatus(ctx context.Context, args *command.Empty) (*command.TeamStatus, error) {
	r, err := c.teamRoot(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	s, err := c.server.teams.Status(ctx, r.Path)
	return c.teamStatus(ctx, r, s, err)
}

// teamStatus returns the answer to a command that ends with the state of sharing.
func (c teamCommands) teamStatus(ctx context.Context, r *session.RootView, s team.Status, err error) (*command.TeamStatus, error) {
	if err != nil {
		return nil, teamError(err)
	}
	out := &command.TeamStatus{
		Repository: s.Repository, Team: s.Team, TeamID: s.TeamID, Member: s.Member, Author: s.Author, Servers: s.Servers,
		Connected: s.Connection.Connected, Server: s.Connection.Server, RTTMS: command.Milliseconds(s.Connection.RTT),
		CaughtUp: s.CaughtUp, Behind: s.Behind, Outbox: s.Outbox, Facts: s.Facts, Own: s.Own, Rivals: s.Rivals, Refused: s.Refused, Problems: s.Problems,
		Vectors: command.TeamVectors{
			Received: s.Vectors.Received, Published: s.Vectors.Published, Waiting: s.Vectors.Waiting, Refused: s.Vectors.Refused, Share: s.Vectors.Share,
		},
	}
	if at := s.Connection.Since; !at.IsZero() {
		since := command.TimeOf(at)
		out.Since = &since
	}
	if !s.Read.IsZero() {
		at := command.TimeOf(s.Read)
		out.ReadAt = &at
	}
	if err := s.Connection.LastError; err != nil && !s.Connection.Connected {
		out.Problem = err.Error()
	}
	for _, m := range s.Members {
		out.Members = append(out.Members, command.TeamMember{Name: m.Name, Key: m.Key, Proven: m.Proven, Own: m.Own, Facts: m.Facts})
	}
	out.Suggestions, err = c.server.teams.Suggestions(ctx, r.Path)
	return out, teamError(err)
}

// TeamJoin implements command.Commands.
func (c teamCommands) TeamJoin(ctx context.Context, args *command.TeamJoinArgs) (*command.TeamStatus, error) {
	r, err := c.teamRoot(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	s, err := c.server.teams.Join(ctx, r.Path, []byte(args.Membership))
	var file *team.FileError
	if errors.As(err, &file) {
		return nil, command.InvalidParams("membership", "%v", file)
	}
	return c.teamStatus(ctx, r, s, err)
}

// TeamLeave implements command.Commands.
func (c teamCommands) TeamLeave(ctx context.Context, args *command.Empty) (*command.TeamLeft, error) {
	r, err := c.teamRoot(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := c.server.teams.Leave(ctx, r.Path); err != nil {
		return nil, teamError(err)
	}
	return &command.TeamLeft{Left: true}, nil
}

// TeamShare implements command.Commands.
func (c teamCommands) TeamShare(ctx context.Context, args *command.TeamShareArgs) (*command.TeamStatus, error) {
	r, err := c.teamRoot(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	var share *bool
	if args.Share != "policy" {
		yes := args.Share == "share"
		share = &yes
	}
	err = c.server.teams.Mark(ctx, r.Path, args.ID, share)
	if errors.Is(err, knowledge.ErrNotFound) {
		return nil, named(err, "item %q of knowledge", args.ID)
	}
	var cannot *team.CannotShareError
	if errors.As(err, &cannot) {
		return nil, command.InvalidParams("id", "%v", cannot)
	}
	if err != nil {
		return nil, teamError(err)
	}
	s, err := c.server.teams.Status(ctx, r.Path)
	return c.teamStatus(ctx, r, s, err)
}

// TeamSync implements command.Commands.
func (c teamCommands) TeamSync(ctx context.Context, args *command.Empty) (*command.TeamStatus, error) {
	r, err := c.teamRoot(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if c.Session.Options.Offline {
		return nil, command.Unavailable("the team's server, by --offline,")
	}
	ctx, cancel := context.WithTimeout(ctx, syncPatience)
	defer cancel()
	s, err := c.server.teams.Sync(ctx, r.Path)
	return c.teamStatus(ctx, r, s, err)
}

// TeamExport implements command.Commands.
func (c teamCommands) TeamExport(ctx context.Context, args *command.TeamFolderArgs) (*command.TeamExchanged, error) {
	return c.exchange(ctx, args, c.server.teams.Export)
}

// TeamImport implements command.Commands.
func (c teamCommands) TeamImport(ctx context.Context, args *command.TeamFolderArgs) (*command.TeamExchanged, error) {
	return c.exchange(ctx, args, c.server.teams.Import)
}

func (c teamCommands) exchange(ctx context.Context, args *command.TeamFolderArgs, do func(ctx context.Context, root, folder string) (team.ExchangeResult, error)) (*command.TeamExchanged, error) {
	r, err := c.teamRoot(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	folder, ok := team.CleanFolder(args.Folder)
	if !ok {
		return nil, command.InvalidParams("folder", "%q is not a folder below the workspace", args.Folder)
	}
	x, err := do(ctx, r.Path, folder)
	if err != nil {
		return nil, teamError(err)
	}
	return &command.TeamExchanged{Folder: x.Folder, Facts: x.Facts, Written: x.Written, Removed: x.Removed, New: x.New, Problems: x.Problems}, nil
}

// sharedBy returns who wrote an item, nil for the person's own.
func sharedBy(s *knowledge.Provenance) *command.SharedBy {
	if s == nil {
		return nil
	}
	out := &command.SharedBy{Name: s.Name, Key: s.Key, Proven: s.Proven, Own: s.Own, Fact: s.Fact}
	for _, fact := range s.Rivals {
		out.Rivals = append(out.Rivals, knowledge.SharedID(fact))
	}
	return out
}
