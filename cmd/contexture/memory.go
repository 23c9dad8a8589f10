package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/spf13/cobra"
)

func newMemory(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "memory",
		Short: "Export, import, forget or count what is remembered of the workspace",
		Long: `What is remembered of the workspace: conversations, what was learned from them, tasks, boards, stored texts, and which
items of bundles were used.`,
	}
	add := func(sub *cobra.Command, known rest) {
		sub.RunE = f.shared(known, untilClosed(sub.RunE))
		c.AddCommand(sub)
	}
	add(newMemoryExport(f), onlyReads)
	add(newMemoryImport(f), perhapsIn)
	add(newMemoryForget(f), perhapsOut)
	add(newMemoryStats(f), onlyReads)
	return c
}

// remembered opens the memory of the workspace and gives it to do.
func (f *flags) remembered(ctx context.Context, do func(w *memory.Workspace) error) error {
	return f.rememberedWith(ctx, func(w *memory.Workspace, _ settings.Settings) error { return do(w) })
}

// rememberedWith is remembered for what needs the workspace's settings as well.
func (f *flags) rememberedWith(ctx context.Context, do func(w *memory.Workspace, set settings.Settings) error) (err error) {
	root, err := f.folder()
	if err != nil {
		return err
	}
	v, _, closeAll, err := f.server()
	if err != nil {
		return explain(err)
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	w, err := v.Memory(ctx, root)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped")
	}
	if err != nil {
		return err
	}
	opts, err := f.options()
	if err != nil {
		return err
	}
	set, _ := v.Settings(root, opts) // what is wrong in their files is for contexture doctor
	return do(w, set)
}

func newMemoryExport(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "export",
		Short:   "Write everything as JSON Lines on standard output",
		Example: "  contexture memory export > memory.jsonl",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.remembered(c.Context(), func(w *memory.Workspace) error {
				out := &heldBack{to: f.env.stdout}
				if err := export(w, out); err != nil {
					return err
				}
				return out.flush()
			})
		},
	}
}

func newMemoryImport(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "import",
		Short: "Read what export wrote from standard input: all of it or nothing",
		Long: `Read what export wrote from standard input: all of it, or nothing when a line is wrong. What is remembered already
stays as it is, so that reading the same file again changes nothing.

Standing rules are found in the imported conversations as in those that come by themselves, where memory.learn is on and the
file holds nothing that was learned from them: an export holds what its memory knew.`,
		Example: "  contexture memory import < memory.jsonl",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.rememberedWith(c.Context(), func(w *memory.Workspace, set settings.Settings) error {
				done, err := w.Import(gather(f.env.input(c.Context())))
				if errors.Is(err, context.Canceled) {
					return errors.New("stopped; nothing was imported")
				}
				if err != nil {
					return fmt.Errorf("import: %w", err)
				}
				if set.Memory.Learn {
					if err := w.LearnFrom(c.Context(), done.Unlearned); err != nil {
						return fmt.Errorf("all is imported, but its rules are not: %w", err)
					}
				}
				fmt.Fprintf(f.env.stderr, "contexture: %s added; read %s and %s\n", counted(done.Messages, "message"),
					counted(done.Records, "other record"), counted(done.Conversations, "conversation"))
				return nil
			})
		},
	}
}

// forgetFlags are those of `contexture memory forget`.
type forgetFlags struct {
	conversation, turn, knowledge string
	workspace, yes                bool
}

func newMemoryForget(f *flags) *cobra.Command {
	var o forgetFlags
	c := &cobra.Command{
		Use:   "forget (--conversation ID [--turn T-n] | --knowledge ID | --workspace --yes)",
		Short: "Remove something for good: when it returns, no byte of it is left in the state directory",
		Long: `Remove something for good: when it returns, no byte of it is left in the state directory.

What was deleted before (contexture.conversation.delete, contexture.knowledge.delete) is gone from every
answer, but its bytes stay in memory's files and checkpoints: forget its ID to wipe them. Whatever is
forgotten, all that was deleted by then is wiped with it. What a fork shares with a conversation stays the
fork's; a turn is forgotten in every conversation that shares it.`,
		Example: `  contexture memory forget --conversation 2026-10-31-login
  contexture memory forget --conversation 2026-10-31-login --turn T-87
  contexture memory forget --workspace --yes`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return f.remembered(c.Context(), func(w *memory.Workspace) error { return o.run(c.Context(), w) })
		},
	}
	p := c.Flags()
	p.StringVar(&o.conversation, "conversation", "", "conversation to forget")
	p.StringVar(&o.turn, "turn", "", "only this turn of the conversation, such as T-87; the others keep their numbers")
	p.StringVar(&o.knowledge, "knowledge", "", "lesson, reference or rule to forget")
	p.BoolVar(&o.workspace, "workspace", false, "forget everything about the workspace")
	p.BoolVar(&o.yes, "yes", false, "really forget everything about the workspace")
	return c
}

func (o *forgetFlags) check() error {
	n := 0
	for _, set := range []bool{o.conversation != "", o.knowledge != "", o.workspace} {
		if set {
			n++
		}
	}
	switch {
	case o.turn != "" && o.conversation == "":
		return usage("--turn needs --conversation ID")
	case n != 1:
		return usage("say what to forget: --conversation ID [--turn T-n], --knowledge ID, or --workspace --yes")
	case o.workspace && !o.yes:
		return usage("--workspace forgets everything about the workspace: add --yes to mean it")
	}
	if o.turn != "" {
		if _, err := dialogue.ParseTurn(o.turn); err != nil {
			return usage("--turn: %v", err)
		}
	}
	return nil
}

func (o *forgetFlags) run(ctx context.Context, w *memory.Workspace) error {
	var err error
	what := "the workspace"
	switch {
	case o.knowledge != "":
		what, err = fmt.Sprintf("item %q of knowledge", o.knowledge), w.ForgetKnowledge(ctx, o.knowledge)
	case o.turn != "":
		n, _ := dialogue.ParseTurn(o.turn) // checked before
		what, err = fmt.Sprintf("turn %s of conversation %q", dialogue.TurnID(n), o.conversation), w.ForgetTurn(ctx, o.conversation, n)
	case o.conversation != "":
		what, err = fmt.Sprintf("conversation %q", o.conversation), w.ForgetConversation(ctx, o.conversation)
	default:
		err = w.ForgetAll(ctx)
	}
	if errors.Is(err, conversation.ErrNotFound) || errors.Is(err, knowledge.ErrNotFound) {
		return command.NotFound(what)
	}
	if err != nil {
		return fmt.Errorf("forget %s: %w", what, err)
	}
	return nil
}

func newMemoryStats(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count what is remembered of the workspace",
		Args:  noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.remembered(c.Context(), func(w *memory.Workspace) error {
				v := w.View()
				defer v.Close()
				s, err := v.Stats()
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(f.env.stdout, &s)
				}
				return printStats(f, s)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	return c
}

func printStats(f *flags, s memory.Stats) error {
	var b strings.Builder
	rows := [][]string{
		{"conversations", count(s.Conversations)}, {"turns", count(s.Turns)}, {"messages", count(s.Messages)}, {"rules", count(s.Rules)},
		{"lessons", count(s.Lessons)}, {"references", count(s.References)}, {"replaced", count(s.Superseded)},
		{"completed tasks", count(s.Tasks)}, {"blockers", count(s.Blockers)}, {"stored texts", count(s.Files)},
		{"on disk, all workspaces", bytesText(s.Bytes)},
	}
	if err := table(&b, "", map[int]bool{1: true}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprint(f.env.stdout, b.String())
	return err
}
