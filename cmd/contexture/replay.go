package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

const (
	// replayTime bounds the answer to one prompt. A hook has less, but nobody waits here.
	replayTime = 10 * time.Second
	// replayIdle is the time without a prompt in which memory would have learned from what was said
	// before, which it does twice a day while the computer is idle.
	replayIdle = 6 * time.Hour
	// replayShown is how many of the best and of the worst prompts are shown.
	replayShown = 10
	// replayAppended is how many messages are appended to memory at once.
	replayAppended = 100
)

// replayResult is the result of a replay, as --json prints it.
type replayResult struct {
	Sessions int `json:"sessions"`
	Prompts  int `json:"prompts"`
	// Given counts the prompts with which something would have been given.
	Given int `json:"given"`
	// Skipped counts the prompts whose state of the workspace is not known.
	Skipped int             `json:"skipped"`
	Total   receipt.Receipt `json:"total"`
	Net     int             `json:"net"`
	// Level of the trial of the names of places at the end.
	Level int            `json:"level"`
	Best  []promptReplay `json:"best"`
	Worst []promptReplay `json:"worst"`
	// Moments and Acts are what would have been told while the assistants worked.
	Moments []momentCount `json:"moments"`
	Acts    []actReplay   `json:"acts"`
}

// promptReplay is what would have been given with a prompt, and what its assistant then did.
type promptReplay struct {
	Conversation string          `json:"conversation"`
	Turn         string          `json:"turn"`
	At           time.Time       `json:"at"`
	Commit       string          `json:"commit"`
	Prompt       string          `json:"prompt"`
	Text         string          `json:"text"`
	Receipt      receipt.Receipt `json:"receipt"`
	Net          int             `json:"net"`
}

func newReplay(f *flags) *cobra.Command {
	var since string
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use:   "replay [flags] [SOURCE…]",
		Short: "Show what hooks would have given in your own sessions, and whether it would have paid",
		Long: `Read the sessions that you had with assistants in this workspace, rebuild the workspace as it was at each prompt, by Git,
and ask what a hook would have given. Beside it stands what the assistant then looked up by itself. Nothing is written but a temporary
folder; nothing is captured, and what is remembered already is not used.

A search or a listing is needless if all files that it listed would have been named, or the one that was opened next. Tokens are a quarter
of the bytes, on both sides. Net is what needless searches returned less what would have been given, and may be negative. What would have
been told before edits and after failed commands is counted apart; --json has its text. The state of the
workspace at a prompt is that of the last commit before it, without what was not committed then.`,
		Example: `  contexture replay --since 30d
  contexture replay claude-code --limit 100`,
		RunE: func(c *cobra.Command, sources []string) error {
			for _, s := range sources {
				if !capture.IsSource(s) {
					return usage("SOURCE: %q is not one of %s", s, strings.Join(capture.Sources(), ", "))
				}
			}
			if limit < 1 {
				return usage("--limit %d is not above 0", limit)
			}
			from := time.Time{}
			if since != "" {
				var err error
				if from, err = timeSince(since, time.Now()); err != nil {
					return err
				}
			}
			r, err := runReplay(c.Context(), f, sources, from, limit)
			if err != nil {
				return stopped(err)
			}
			if asJSON {
				return printJSON(f.env.stdout, r)
			}
			return printReplay(f.env, r)
		},
	}
	c.Flags().StringVar(&since, "since", "", "only prompts since: a date such as 2026-10-31, or an age such as 30d or 12h")
	c.Flags().IntVarP(&limit, "limit", "n", 500, "prompts at most, the latest")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the receipt and the best and worst prompts as JSON")
	return c
}

// sessionPrompt is a prompt of a session, with the messages of its turn that follow it.
type sessionPrompt struct {
	chat   *shownChat
	turn   int // index in the chat's turns
	prompt dialogue.Message
	after  []dialogue.Message
}

// runReplay does the work in a temporary folder.
func runReplay(ctx context.Context, f *flags, sources []string, since time.Time, limit int) (out *replayResult, err error) {
	root, err := f.folder()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "contexture-replay-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tree, err := cloneOf(ctx, root, filepath.Join(dir, "tree"))
	if err != nil {
		return nil, err
	}
	reading := f.apart(filepath.Join(dir, "read"), root)
	chats, prompts, unread, err := readSessions(ctx, reading, sources, since)
	if err != nil {
		return nil, err
	}
	for _, text := range unread {
		f.env.hint("%s", text)
	}
	prompts = prompts[max(0, len(prompts)-limit):]
	r := &replay{f: f.apart(filepath.Join(dir, "state"), tree.dir), tree: tree, root: root, stored: map[*shownChat]int{}}
	defer func() { err = errors.Join(err, r.end()) }()
	out = &replayResult{Sessions: chats, Best: []promptReplay{}, Worst: []promptReplay{}, Moments: []momentCount{}, Acts: []actReplay{}}
	var all []promptReplay
	var done atomic.Int64 // read while the work goes on
	work := func(ctx context.Context) error {
		for _, p := range prompts {
			one, known, err := r.prompt(ctx, p, out)
			if err != nil {
				return err
			}
			done.Add(1)
			if !known {
				out.Skipped++
				continue
			}
			out.Prompts++
			out.Total.Add(one.Receipt)
			if one.Text != "" {
				out.Given++
				all = append(all, one)
			}
		}
		return nil
	}
	look := func(context.Context) (phase, bool) {
		return phase{"Replaying prompts", "prompts", int(done.Load()), len(prompts)}, true
	}
	if err := newProgress(f.env).during(ctx, work, look); err != nil {
		return nil, err
	}
	switch {
	case r.lacks != nil && out.Prompts == 0:
		return nil, r.lacks
	case r.lacks != nil:
		f.env.hint("a commit cannot be checked out: %s", r.lacks)
	}
	out.Net, out.Level = out.Total.Net(), r.trial.Level
	slices.SortStableFunc(all, func(a, b promptReplay) int { return cmp.Compare(b.Net, a.Net) })
	for i, p := range all {
		switch {
		case p.Net > 0 && i < replayShown:
			out.Best = append(out.Best, p)
		case p.Net < 0 && len(all)-i <= replayShown:
			out.Worst = append(out.Worst, p)
		}
	}
	slices.Reverse(out.Worst)
	return out, nil
}

// apart returns flags for a state directory and a root of their own, without a daemon and without
// output.
func (f *flags) apart(state, root string) *flags {
	env := *f.env
	env.dial, env.stderr, env.err, env.dir = nil, io.Discard, terminal{}, root
	own := *f
	own.env, own.stateDir, own.root, own.offline = &env, state, root, true
	own.logFile = ""
	return &own
}

// readSessions reads the sessions of the workspace, and returns how many there are with their
// prompts in the order of time. unread says which logs could not be read, and why.
func readSessions(ctx context.Context, f *flags, sources []string, since time.Time) (sessions int, out []sessionPrompt, unread []string, err error) {
	if len(sources) == 0 {
		sources = capture.Sources()
	}
	args := map[string]any{"sources": sources}
	if !since.IsZero() {
		args["since"] = command.At(since)
	}
	done, err := captured[command.CaptureImportResult](ctx, f, "contexture.capture.import", args)
	if err != nil {
		return 0, nil, nil, err
	}
	for _, s := range done.Sources {
		unread = append(unread, s.Errors...)
		for _, u := range s.Unread {
			unread = append(unread, s.Source+": not read: "+unreadText(f.env, u))
		}
	}
	var chats []shownChat
	err = f.recollect(ctx, memoryAlone, func(w *workspace) error {
		for before := ""; ; {
			args := map[string]any{"limit": 1000}
			if before != "" {
				args["before"] = before
			}
			page, err := call[command.ListResult](ctx, w.client, "contexture.conversation.list", args)
			if err != nil {
				return err
			}
			for _, c := range page.Conversations {
				shown, err := w.turnsOf(ctx, request.Chat{ID: c.ID, Title: c.Title, Turns: c.TurnCount}, 0, c.TurnCount)
				if err != nil {
					return err
				}
				chats = append(chats, shown)
			}
			if before = page.Next; before == "" {
				return nil
			}
		}
	})
	if err != nil {
		return 0, nil, nil, err
	}
	for i := range chats {
		n := len(out)
		for k, t := range chats[i].Turns {
			at := slices.IndexFunc(t.Messages, func(m dialogue.Message) bool { return m.Role == dialogue.User })
			if at < 0 {
				continue
			}
			m := t.Messages[at]
			if m.At.IsZero() || m.At.Before(since) || strings.TrimSpace(m.Content) == "" || (hosts.Event{Text: m.Content}).Commands() {
				continue
			}
			out = append(out, sessionPrompt{&chats[i], k, m, t.Messages[at+1:]})
		}
		sessions += min(1, len(out)-n)
	}
	slices.SortStableFunc(out, func(a, b sessionPrompt) int { return a.prompt.At.Compare(b.prompt.At) })
	return sessions, out, unread, nil
}

// replay replays prompts in the order of time.
type replay struct {
	f      *flags
	tree   *clone
	root   string // of the sessions
	w      *workspace
	stored map[*shownChat]int // how many turns of a chat memory has
	trial  receipt.Trial      // of the names of places
	last   time.Time          // of the last prompt
	lacks  error              // why a commit could not be checked out
}

func (r *replay) end() error {
	if r.w == nil {
		return nil
	}
	err := r.w.close()
	r.w = nil
	return err
}

// prompt asks for what a hook would have given with a prompt, and what at the acts that followed,
// which it adds to sum. known is false if no commit is old enough.
func (r *replay) prompt(ctx context.Context, p sessionPrompt, sum *replayResult) (out promptReplay, known bool, err error) {
	moved, err := r.tree.at(ctx, p.prompt.At)
	if err != nil && ctx.Err() == nil { // a clone without all objects
		r.lacks = cmp.Or(r.lacks, err)
		return out, false, r.end()
	}
	if err != nil || r.tree.commit == "" {
		return out, false, err
	}
	if moved {
		if err := r.end(); err != nil {
			return out, false, err
		}
	}
	if r.w == nil {
		if r.w, err = r.f.begin(ctx, r.tree.dir, withCode); err != nil {
			return out, false, err
		}
		if _, err := r.w.index(ctx); err != nil {
			return out, false, err
		}
		if _, err := r.w.ready(ctx); err != nil {
			return out, false, err
		}
	}
	begins := r.stored[p.chat] == 0
	if err := r.remember(ctx, p.chat, p.turn); err != nil {
		return out, false, err
	}
	if idle := p.prompt.At.Sub(r.last); !r.last.IsZero() && idle >= replayIdle {
		if _, err := call[command.ProcessResult](ctx, r.w.client, "contexture.knowledge.process", map[string]any{}); err != nil {
			return out, false, err
		}
	}
	r.last = p.prompt.At
	by, session, _ := strings.Cut(p.chat.ID, "/")
	began := time.Now()
	h := &hooked{
		f: r.f, root: r.tree.dir, state: r.f.stateDir, trial: r.trial, log: slog.New(slog.DiscardHandler), begun: began, until: began.Add(replayTime),
		event: hosts.Event{Host: by, By: by, Session: session, Kind: hosts.Prompt, Text: p.prompt.Content, Dir: r.tree.dir},
	}
	b, err := h.bundle(ctx, r.w.session)
	if err != nil {
		return out, false, fmt.Errorf("the prompt of %s of %s: %w", p.chat.Turns[p.turn].TurnID, p.chat.ID, err)
	}
	text := ""
	if begins { // with the rules, at the session's start
		if text, err = h.rules(ctx, r.w.session, hosts.MaxContext); err != nil {
			return out, false, fmt.Errorf("the start of %s: %w", p.chat.ID, err)
		}
	}
	text = h.withBundle(ctx, r.w.session, b, text)
	given := receipt.Give(p.prompt.At, hosts.Event{Kind: hosts.Prompt}.Moment(), text, time.Since(began))
	out = promptReplay{
		Conversation: p.chat.ID, Turn: p.chat.Turns[p.turn].TurnID, At: p.prompt.At, Commit: r.tree.commit,
		Prompt: oneLine(p.prompt.Content, 200), Text: text, Receipt: receipt.Read(append([]dialogue.Message{p.prompt}, p.after...), r.root).Receipt(given),
	}
	out.Net = out.Receipt.Net()
	r.trial.Count(p.prompt.At, out.Receipt)
	if err := r.acts(ctx, h, p, sum); err != nil {
		return out, false, err
	}
	return out, true, r.remember(ctx, p.chat, p.turn+1)
}

// remember appends the first turns of a conversation to memory. Files are those of the tree.
func (r *replay) remember(ctx context.Context, chat *shownChat, turns int) error {
	var list []dialogue.Message
	for k := r.stored[chat]; k < turns; k++ {
		list = append(list, chat.Turns[k].Messages...)
	}
	r.stored[chat] = max(r.stored[chat], turns)
	for len(list) > 0 {
		n := min(len(list), replayAppended)
		raw, err := json.Marshal(list[:n])
		if err != nil {
			return fmt.Errorf("encode messages: %w", err)
		}
		raw = []byte(strings.ReplaceAll(string(raw), r.root+"/", r.tree.dir+"/"))
		args := map[string]any{"conversationId": chat.ID, "messages": json.RawMessage(raw)}
		if _, err := call[command.AppendResult](ctx, r.w.client, "contexture.conversation.append", args); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// printReplay writes the receipt of a replay, and its best and its worst prompts.
func printReplay(e *environment, r *replayResult) error {
	if r.Prompts+r.Skipped == 0 {
		e.hint("no session with a prompt of this workspace was found; contexture capture status lists the folders of logs")
		return nil
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s with %s; something would have been given with %s of them\n", counted(r.Sessions, "session"), counted(r.Prompts, "prompt"), count(r.Given))
	t := r.Total
	fmt.Fprintf(&out, "given %s tokens; %d of %d files named were then opened; %d of %d look-ups would have been needless, %s of %s tokens; net %s\n",
		count(t.Given), t.Opened, t.Named, t.Needless, t.Looks, count(t.Spared), count(t.LookTokens), signed(r.Net))
	if r.Level > 0 {
		out.WriteString(lessened[min(r.Level, len(lessened)-1)] + " at the end\n")
	}
	for _, m := range r.Moments {
		fmt.Fprintf(&out, "%s: %s told at %s, %s tokens\n", m.Moment, count(m.Told), counted(m.Times, "time"), count(m.Given))
	}
	if r.Skipped > 0 {
		fmt.Fprintf(&out, "%s left out: older than the first commit, or its commit cannot be checked out\n", counted(r.Skipped, "prompt"))
	}
	for _, part := range []struct {
		title string
		list  []promptReplay
	}{{"best", r.Best}, {"worst", r.Worst}} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n%s:\n", part.title)
		for _, p := range part.list {
			fmt.Fprintf(&out, "%s: given %s, %s spared, %s  %s %s\n  %s\n", signed(p.Net), count(p.Receipt.Given), count(p.Receipt.Spared),
				dateOf(p.At), p.Conversation, p.Turn, oneLine(p.Prompt, 110))
			for line := range strings.Lines(p.Text) {
				out.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
			}
		}
	}
	return e.show(out.String())
}
