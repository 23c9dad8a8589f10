package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
)

// readSettings reads which hooks are switched on. The server tells what is wrong in the files.
func (h *hooked) readSettings() error {
	opts, err := h.f.options()
	s, _ := settings.Resolve(settings.ReadUser(cmp.Or(opts.ConfigFile, settings.UserFile(h.f.env.getenv)), false), settings.ReadWorkspace(h.root))
	h.hooks = s.Hooks
	return err
}

// wanted reports whether the settings leave something to do for the event. A session's start makes
// the index ready, whether or not it is answered.
func (h *hooked) wanted() bool {
	switch h.event.Kind {
	case hosts.Prompt:
		return h.hooks.BeforePrompt || h.hooks.AfterCompaction // of which some hosts tell with the next prompt
	case hosts.Compacted:
		return h.hooks.AfterCompaction
	case hosts.Editing:
		return h.hooks.BeforeEdit
	case hosts.Failed:
		return h.hooks.AfterFailure
	case hosts.Delegating:
		return h.hooks.BeforeSubagent
	}
	return true
}

// active returns the rules that are in force.
func (h *hooked) active(ctx context.Context, c *transport.Client) (rules []string, err error) {
	var known command.KnowledgeListResult
	if err := execute(ctx, c, "contexture.knowledge.list", map[string]any{"kind": "rule"}, &known); err != nil {
		return nil, err
	}
	for _, item := range known.Items {
		if item.State == "confirmed" {
			rules = append(rules, item.Content)
		}
	}
	return rules, nil
}

// rules returns the rules that are in force, unless the conversation was given them as they are
// now, in at most so many bytes. Before a commit they are repeated.
func (h *hooked) rules(ctx context.Context, c *transport.Client, most int) (string, error) {
	rules, err := h.active(ctx, c)
	if err != nil {
		return "", err
	}
	text := hosts.StandingText(hosts.Standing{Rules: rules}, most)
	id := hosts.StandingID(text)
	if text == "" || slices.Contains(h.given(), id) && !hosts.Commits(h.event.Text) {
		return "", nil
	}
	h.give([]string{id})
	return text, nil
}

// standing returns what a compaction must not lose: the rules that are in force, the last request,
// the focus of the conversation, its decisions, files and open questions, and the commands that
// worked in it.
func (h *hooked) standing(ctx context.Context, c *transport.Client, most int) (string, error) {
	s, err := h.known(ctx, c, true)
	if len(s.Rules) > 0 {
		h.give([]string{hosts.StandingID(hosts.StandingText(hosts.Standing{Rules: s.Rules}, most))})
	}
	return hosts.StandingText(s, most), err
}

// task returns what a sub-agent has to keep to.
func (h *hooked) task(ctx context.Context, c *transport.Client) (string, error) {
	s, err := h.known(ctx, c, false)
	return hosts.TaskText(s), err
}

// known returns the rules that are in force and what is known of the conversation, with resume also
// the last request and the commands that worked. With an error, it returns what could be read.
func (h *hooked) known(ctx context.Context, c *transport.Client, resume bool) (s hosts.Standing, err error) {
	if s.Rules, err = h.active(ctx, c); err != nil {
		return s, err
	}
	var arc command.ArcResult
	err = execute(ctx, c, "contexture.conversation.arc", map[string]any{"conversationId": h.conversation(), "resume": resume}, &arc)
	if failed, is := errors.AsType[*command.Error](err); is && failed.DataCode == "notFound" {
		err = nil // nothing of it was captured
	}
	s.Focus, s.Files, s.Lately = arc.CurrentFocus, arc.Recent.Files, arc.WorkspaceRecent.Files
	if r := arc.Resume; r != nil {
		s.Request, s.Commands = r.LastRequest, r.Commands
	}
	for _, d := range arc.Decisions {
		s.Decisions = append(s.Decisions, d.Text)
	}
	for _, q := range arc.OpenQuestions {
		s.Questions = append(s.Questions, q.Text)
	}
	return s, err
}
