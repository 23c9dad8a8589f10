package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/mcp"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/spf13/cobra"
)

const (
	// hookTime is the time after which a hook answers, with nothing if no answer is ready. With the
	// start of the process, it is below the 300 ms that a hook may take.
	hookTime = 260 * time.Millisecond
	// hookColdTime replaces hookTime if the shared process had to be started, for the answers that
	// need it. It is enough if the index is on disk; without it, the first prompt of a day would
	// have no context. It keeps the hook below 600 ms.
	hookColdTime = 530 * time.Millisecond
	// hookReserve is the part of that time reserved for returning a bundle to the host.
	hookReserve = 30 * time.Millisecond
	// indexAgain is the time between two checks of an index that is being built.
	indexAgain = 25 * time.Millisecond
	// hookBudget is the budget of a prompt's context, in tokens, without the prompt itself.
	hookBudget = 1200
	// hookInput is the maximum size of a host's event, in bytes; a hook answers a larger one with
	// nothing.
	hookInput = 8 << 20
)

// newHook returns the command that hosts run for their events. It never fails: errors go to the
// log, and the host continues.
func newHook(f *flags) *cobra.Command {
	var ready string
	var plugin, receipts string
	c := &cobra.Command{
		Use:   "hook HOST EVENT",
		Short: "Answer a host's hook: context before a prompt, rules after a compaction",
		Long: `Answer a host's hook: read the host's JSON on standard input and answer in its form within 300 ms, or with nothing.
"contexture install" enters it into the host's configuration.

Before a prompt the answer names the places that it is probably about, and has what memory has on it; at the start of a
session and before a commit it is the person's rules; after a compaction also the focus and decisions of the
conversation, and to a sub-agent the rules and what its task is part of; the end of an answer has the conversation
captured, where the person agreed. Before an edit it is what was ruled, decided or learned of the file by name, and
after a failed call what fixed the same failure before; both are silent unless something surely was. The shared process answers; where none runs, it is started, and has 600 ms. It
always exits with 0: a hook must not hold an assistant up.
What went wrong is in the log. On a slow machine the variable CONTEXTURE_HOOK_TIME=1s gives it more time.`,
		Example:           `  echo '{"session_id": "s", "cwd": "/home/me/project", "prompt": "where are retries handled?"}' | contexture hook claude-code UserPromptSubmit`,
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(c *cobra.Command, args []string) error {
			if ready != "" {
				return makeReady(c.Context(), f, ready, receipts != "")
			}
			runHook(c.Context(), f, args, plugin != "")
			return nil
		},
	}
	c.Flags().StringVar(&ready, "ready", "", "bring the shared process up and this folder's index up to date")
	c.Flags().Lookup("ready").Hidden = true
	c.Flags().StringVar(&receipts, "receipts", "", "with --ready, also count what named places spared")
	c.Flags().Lookup("receipts").NoOptDefVal = "yes" // a hook refuses no value
	c.Flags().Lookup("receipts").Hidden = true
	c.Flags().StringVar(&plugin, "plugin", "", "answer nothing if contexture install has entered hooks for this host")
	c.Flags().Lookup("plugin").NoOptDefVal = "yes" // a hook refuses no value
	c.Flags().Lookup("plugin").Hidden = true
	c.FParseErrWhitelist.UnknownFlags = true
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		f.env.hint("%s", err)
		return &exitError{} // 0: the host continues
	})
	return c
}

// hookPatience returns the time after which a hook answers. A person with a slow machine may extend
// it.
func hookPatience(e *environment) time.Duration {
	if d, err := time.ParseDuration(e.getenv("CONTEXTURE_HOOK_TIME")); err == nil && d > 0 {
		return d
	}
	return hookTime
}

// hooked is a run of a hook.
type hooked struct {
	f      *flags
	event  hosts.Event
	plugin bool   // a plugin of the host runs it
	root   string // of the event's workspace
	hooks  settings.Hooks
	trial  receipt.Trial // of the names of places
	state  string
	log    *slog.Logger

	begun, until time.Time   // until is the deadline for the answer; end fires then
	end          *time.Timer // see wait
}

// wait extends the deadline for the answer to d after the start, if that is later.
func (h *hooked) wait(d time.Duration) {
	if until := h.begun.Add(d); until.After(h.until) {
		h.until = until
		h.end.Reset(time.Until(until))
	}
}

// runHook reads an event and prints the answer. Errors go only to the log, and to standard error if
// the command line itself is wrong.
func runHook(ctx context.Context, f *flags, args []string, plugin bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := &hooked{f: f, plugin: plugin, log: slog.New(slog.DiscardHandler), begun: time.Now()}
	h.end = time.AfterFunc(time.Hour, func() { cancel(context.DeadlineExceeded) })
	defer h.end.Stop()
	h.wait(hookPatience(f.env))
	var err error
	if h.state, err = f.state(); err == nil {
		err = daemon.OwnState(h.state)
	}
	if err == nil {
		if log, closeLog, failed := f.logger(h.state); failed == nil {
			h.log = log.With("hook", args)
			defer func() { _ = closeLog() }()
		}
	}
	if err == nil {
		err = h.read(ctx, args)
	}
	if h.event.Acts() && f.env.getenv("CONTEXTURE_HOOK_TIME") == "" {
		h.until = h.begun.Add(hookActTime)
		h.end.Reset(time.Until(h.until))
	}
	text := ""
	if err == nil {
		text, err = inTime(ctx, h.answer)
	}
	if err != nil {
		h.log.Warn("no answer to a hook", "err", err)
		if _, isUsage := errors.AsType[*usageError](err); isUsage {
			f.env.hint("%s", err)
		}
	}
	took := time.Since(h.begun)
	if out := h.event.Answer(text, h.offerCapture()); out != nil {
		if _, err := f.env.stdout.Write(out); err != nil {
			h.log.Warn("write the answer to a hook", "err", err)
		}
	}
	if err := h.handed(text, took); err != nil {
		h.log.Warn("record what was given", "err", err)
	}
}

// usageError is an error that must be shown to the person who types the command.
type usageError struct{ error }

// read reads the event from the command line and standard input.
func (h *hooked) read(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return &usageError{fmt.Errorf("hook takes HOST and EVENT, but was given %d arguments; see contexture hook --help", len(args))}
	}
	input, err := inTime(ctx, func(context.Context) ([]byte, error) {
		return io.ReadAll(io.LimitReader(h.f.env.stdin, hookInput+1))
	})
	switch {
	case err != nil:
		return fmt.Errorf("read standard input: %w", err)
	case len(input) > hookInput:
		err = fmt.Errorf("standard input is longer than %d bytes", hookInput)
		input = nil
	}
	var wrong error
	if h.event, wrong = hosts.ReadEvent(args[0], args[1], input); wrong != nil && err == nil {
		err = &usageError{wrong}
	}
	return err
}

// inTime runs work until it is done or ctx ends. Work that is still running then ends with the
// process.
func inTime[T any](ctx context.Context, work func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() { // the process ends soon
		defer func() {
			if p := recover(); p != nil {
				done <- result{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		value, err := work(ctx)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), context.Cause(ctx)
	}
}

// answer does what the event requires and returns the context for the model.
func (h *hooked) answer(ctx context.Context) (string, error) {
	e := h.event
	if (e.By != e.Host || h.plugin) && hosts.Installed(h.state, e.By) {
		return "", nil // that host has hooks of its own, which answer
	}
	if e.Empty() {
		return "", nil
	}
	if e.Kind == hosts.Start || e.Kind == hosts.Compacted || e.Kind == hosts.Compacting {
		h.forgetGiven()
	}
	if e.Kind == hosts.Compacting {
		return "", h.markCompacted()
	}
	if err := h.place(); err != nil {
		return "", err
	}
	if err := h.readSettings(); err != nil {
		return "", err
	}
	if !h.wanted() {
		return "", nil
	}
	c, err := h.session(ctx)
	if c == nil {
		return "", err
	}
	switch e.Kind {
	case hosts.Prompt:
		return h.context(ctx, c)
	case hosts.Compacted:
		return h.standing(ctx, c, hosts.MaxStanding)
	case hosts.TurnEnd:
		return "", h.poke(ctx, c)
	case hosts.Editing, hosts.Failed:
		return h.act(ctx, c)
	case hosts.Delegating:
		return h.task(ctx, c)
	}
	text := ""
	if e.Answered() && h.hooks.AtStart {
		if text, err = h.rules(ctx, c, hosts.MaxContext); err != nil {
			h.log.Warn("repeat the rules at the start of a session", "err", err)
		}
	}
	return text, h.ready()
}

// session begins a session with the daemon, which it starts if none runs. The client is nil if
// there is an error, or if the daemon is not ready and the event does not wait for it.
func (h *hooked) session(ctx context.Context) (*transport.Client, error) {
	conn, err := h.dial(ctx)
	if errors.Is(err, daemon.ErrNone) {
		if conn, err = h.begin(ctx); conn == nil {
			return nil, err
		}
	}
	if _, other := errors.AsType[*daemon.IncompatibleError](err); other {
		err = errors.Join(err, h.ready()) // an older daemon makes way for this build
	}
	if err != nil {
		return nil, err
	}
	c, err := transport.NewClient(ctx, conn, transport.ClientOptions{Folders: []string{h.root}, Name: "contexture hook", Version: readVersion().Version, Logger: h.log})
	if err != nil {
		return nil, fmt.Errorf("begin session: %w", err)
	}
	return c, nil
}

// place finds the workspace of the event. A home directory and the root of the file system are no
// workspaces: a prompt there is no reason to index all of a person's files.
func (h *hooked) place() error {
	env := *h.f.env
	env.dir = h.event.Dir
	own := *h.f
	own.env, own.root = &env, ""
	if !filepath.IsAbs(env.dir) {
		return fmt.Errorf("the working directory %q is not an absolute path", env.dir)
	}
	root, err := own.folder()
	if err != nil {
		return err
	}
	if home := h.f.env.getenv("HOME"); root == filepath.Dir(root) || home != "" && root == filepath.Clean(home) {
		return fmt.Errorf("%s is not a project", root)
	}
	h.root = root
	return nil
}

// dial connects to the running daemon. Error: daemon.ErrNone if none runs.
func (h *hooked) dial(ctx context.Context) (net.Conn, error) {
	hello, err := h.f.hello(daemon.Session, h.state)
	if err != nil {
		return nil, err
	}
	hello.Root = ""
	return daemon.Dial(ctx, h.state, hello)
}

// begin starts the daemon. A small workspace is ready in time for an answer, but only some events
// wait for it; for the others the connection is nil.
func (h *hooked) begin(ctx context.Context) (net.Conn, error) {
	if err := h.ready(); err != nil || !h.event.Answered() || h.event.Acts() {
		return nil, err
	}
	h.wait(hookColdTime)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		conn, err := h.dial(ctx)
		if !errors.Is(err, daemon.ErrNone) {
			return conn, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// conversation returns the memory's id of the event's session.
func (h *hooked) conversation() string { return capture.ConversationID(h.event.By, h.event.Session) }

// context returns what a bundle contains for the prompt, preceded by what the model has lost in a
// compaction.
func (h *hooked) context(ctx context.Context, c *transport.Client) (string, error) {
	again := ""
	if h.takeCompacted() && h.hooks.AfterCompaction {
		var err error
		if again, err = h.standing(ctx, c, hosts.MaxStanding); err != nil {
			h.log.Warn("repeat what a compaction removed", "err", err)
		}
	}
	if !h.hooks.BeforePrompt {
		return again, nil
	}
	b, err := h.indexed(ctx, c)
	if err != nil {
		return again, err
	}
	if h.trial, err = hosts.ReadTrial(h.state, h.root); err != nil {
		h.log.Warn("places are named as in a new workspace", "err", err)
	}
	return h.withBundle(ctx, c, b, again), nil
}

// withBundle returns what the model is given of a bundle, after a text that it is given anyway, or
// else after the rules, if it lacks them or is to record a change.
func (h *hooked) withBundle(ctx context.Context, c *transport.Client, b *command.BundleResult, before string) string {
	text := h.told(b, hosts.MaxContext-len(before))
	if before == "" && (text != "" || hosts.Orders(b.Intent, h.event.Text)) {
		var err error
		if before, err = h.rules(ctx, c, hosts.MaxContext-len(text)-1); err != nil {
			h.log.Warn("repeat the rules", "err", err)
		}
	}
	if before != "" && text != "" {
		before += "\n"
	}
	return before + text
}

// told returns what the model is given of a bundle, at most so many bytes, and records it.
func (h *hooked) told(b *command.BundleResult, most int) string {
	var parts []hosts.Part
	for _, p := range mcp.Parts(b) {
		parts = append(parts, hosts.Part(p))
	}
	c := hosts.Conversation{ID: h.conversation(), Root: transport.FileURI(h.root), Given: h.given()}
	text, ids := hosts.BundleText(b.Intent, parts, hosts.Places(b, h.trial.Level, h.pathOf), c, most)
	h.give(ids)
	return text
}

// pathOf returns the path of a URI relative to the workspace, with slashes, "" for one outside.
func (h *hooked) pathOf(uri string) string {
	path, ok := transport.FilePath(uri)
	if !ok {
		return ""
	}
	rel, err := filepath.Rel(h.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// indexed requests the prompt's bundle repeatedly until the index is ready or the time is over. In
// the latter case the workspace is made ready in the background, and the last answer is used.
func (h *hooked) indexed(ctx context.Context, c *transport.Client) (*command.BundleResult, error) {
	again := time.NewTicker(indexAgain)
	defer again.Stop()
	for {
		b, err := h.bundle(ctx, c)
		if err != nil || !slices.ContainsFunc(b.Degraded, func(d command.Degradation) bool { return d.Reason == "indexing" }) {
			return b, err
		}
		if err := h.ready(); err != nil {
			h.log.Warn("make the workspace ready", "err", err)
		}
		if time.Until(h.until) < hookReserve+2*indexAgain {
			return b, nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return b, nil
		}
	}
}

// bundle requests the prompt's bundle, without the conversation's own history, which the host
// sends.
func (h *hooked) bundle(ctx context.Context, c *transport.Client) (*command.BundleResult, error) {
	args := map[string]any{
		"prompt": h.event.Text, "conversationId": h.conversation(), "budget": hookBudget + len(h.event.Text)/2 + 100,
		"deadlineMs": min(max(50, (time.Until(h.until)-hookReserve).Milliseconds()), 60_000),
		"layers":     map[string]any{"L6_message_history": map[string]any{"min": 0, "ideal": 0, "max": 0}},
	}
	var b command.BundleResult
	return &b, execute(ctx, c, "contexture.bundle", args, &b)
}

// execute runs a command of the contract.
func execute(ctx context.Context, c *transport.Client, name string, args map[string]any, into any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	result, err := c.Execute(ctx, name, raw)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(result, into)
}

// poke has the conversation captured: from the log that the host names, or from all logs of the
// host if it names none, or one that is not among its logs. A daemon that does not capture is no
// error.
func (h *hooked) poke(ctx context.Context, c *transport.Client) error {
	err := poke(ctx, c, h.event.By, h.event.Log)
	if _, is := errors.AsType[*command.Error](err); is && h.event.Log != "" {
		err = poke(ctx, c, h.event.By, "")
	}
	if failed, is := errors.AsType[*command.Error](err); is {
		h.log.Debug("capture was not notified", "err", failed)
		return nil
	}
	return err
}

// poke has a log of a source read; all logs of the source if path is "".
func poke(ctx context.Context, c *transport.Client, source, path string) error {
	return execute(ctx, c, "contexture.capture.poke", map[string]any{"source": source, "path": path}, nil)
}
