package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

func newMemory(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "memory",
		Short: "Export, import, forget or count what is remembered of the workspace",
		Long: `What is remembered of the workspace: conversations, what was learned from them, tasks, boards, stored texts, and which
items of bundles were used.`,
	}
	f.add(c, newMemoryExport(f), onlyReads)
	f.add(c, newMemoryImport(f), perhapsIn)
	f.add(c, newMemoryForget(f), perhapsOut)
	f.add(c, newMemoryAdopt(f), perhapsIn)
	f.add(c, newMemoryStats(f), onlyReads)
	return c
}

// remembered begins a session about the memory of the workspace, even if memory is switched off,
// calls do with it, and ends it.
func (f *flags) remembered(ctx context.Context, do func(w *workspace) error) (err error) {
	root, err := f.folder()
	if err != nil {
		return err
	}
	w, err := f.begin(ctx, root, memoryAlone)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return do(w)
}

func newMemoryExport(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "export",
		Short:   "Write everything as JSON Lines on standard output",
		Example: "  contexture memory export > memory.jsonl",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.remembered(c.Context(), func(w *workspace) error { return w.export(c.Context(), f.env.stdout) })
		},
	}
}

func newMemoryImport(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "import",
		Short: "Import what export wrote from standard input: all of it or nothing",
		Long: `Import what export wrote from standard input: all of it, or nothing if a line is wrong. What is remembered already
stays as it is, so that reading the same file again changes nothing.

If memory.learn is on and the file contains nothing learned from its conversations, standing rules are learned from them as
from new ones: an export contains what its memory knew.`,
		Example: "  contexture memory import < memory.jsonl",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.remembered(c.Context(), func(w *workspace) error {
				done, err := w.imports(c.Context())
				if errors.Is(err, context.Canceled) {
					return errors.New("stopped; nothing was imported")
				}
				if err != nil {
					return fmt.Errorf("import: %w", err)
				}
				if done.Unlearned != "" {
					return fmt.Errorf("everything was imported except its rules: %s", done.Unlearned)
				}
				f.env.hint("%s added; read %s and %s", counted(done.Messages, "message"),
					counted(done.Records, "other record"), counted(done.Conversations, "conversation"))
				return nil
			})
		},
	}
}

// forgetFlags are the flags of `contexture memory forget`.
type forgetFlags struct {
	conversation, turn, knowledge string
	workspace, yes                bool
}

func newMemoryForget(f *flags) *cobra.Command {
	var o forgetFlags
	c := &cobra.Command{
		Use:   "forget (--conversation ID [--turn T-n] | --knowledge ID | --workspace --yes)",
		Short: "Remove something permanently: when it returns, no byte of it is left in the state directory",
		Long: `Remove something permanently: when it returns, no byte of it is left in the state directory.

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
			return f.remembered(c.Context(), func(w *workspace) error { return o.run(c.Context(), w) })
		},
	}
	p := c.Flags()
	p.StringVar(&o.conversation, "conversation", "", "the conversation to forget, by its `ID` or the beginning of it; contexture chats list prints the ids")
	p.StringVar(&o.turn, "turn", "", "only this `TURN` of the conversation, such as T-87; the others keep their numbers")
	p.StringVar(&o.knowledge, "knowledge", "", "the lesson, reference or rule to forget, by its `ID`; contexture rules list prints those of rules")
	p.BoolVar(&o.workspace, "workspace", false, "forget everything about the workspace")
	p.BoolVar(&o.yes, "yes", false, "really forget everything about the workspace")
	f.completesFlag(c, "conversation", chatIDs)
	f.completesFlag(c, "knowledge", ruleIDs(confirmed, candidate, superseded))
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

func (o *forgetFlags) run(ctx context.Context, w *workspace) error {
	p := &request.ForgetParams{Knowledge: o.knowledge, Conversation: o.conversation}
	if o.turn != "" {
		p.Turn, _ = dialogue.ParseTurn(o.turn) // checked before
	}
	err := w.ask(ctx, request.MemoryForget, p, nil)
	if !errors.Is(err, fs.ErrNotExist) || o.conversation == "" {
		return err
	}
	// No conversation has this id, not even a deleted one: it may be the beginning of one.
	chat, wrong := w.findChat(ctx, o.conversation)
	switch {
	case wrong != nil:
		return wrong
	case chat.ID == o.conversation: // which has no such turn
		return err
	}
	p.Conversation = chat.ID
	if err := w.ask(ctx, request.MemoryForget, p, nil); err != nil {
		return err
	}
	w.env.hint("forgot %s of %s: %s", cmp.Or(o.turn, "all"), chat.ID, oneLine(chat.Title, 80))
	return nil
}

func newMemoryAdopt(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "adopt FOLDER",
		Short: "Take over what is remembered of a folder that was moved here",
		Long: `Take over what is remembered of a folder that was moved or renamed. Memory is kept by the path of a workspace: after a
move it is still there, but under the old path. FOLDER is that path; nothing may be there any more. What is remembered of
this workspace already stays.`,
		Example: "  contexture memory adopt ~/old/place",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := f.env.abs(args[0])
			if err != nil {
				return usage("%s: %v", args[0], err)
			}
			return f.remembered(c.Context(), func(w *workspace) error {
				if err := w.ask(c.Context(), request.MemoryAdopt, &request.AdoptParams{Folder: folder}, nil); err != nil {
					return err
				}
				fmt.Fprintf(f.env.stderr, "contexture: what is remembered of %s belongs to this workspace now\n", f.env.tilde(folder))
				return nil
			})
		},
	}
}

// maxMoved bounds the folders that one hint names.
const maxMoved = 3

// hintMoved says, where nothing is remembered of the workspace, of which folders that no longer
// exist something is: the workspace may be one of them, moved. It does nothing if it cannot find
// out.
func (w *workspace) hintMoved(ctx context.Context) {
	s, err := asked[memory.Stats](ctx, w.client, request.MemoryStats, nil)
	if err != nil || !s.Empty() {
		return
	}
	found, err := asked[request.MovedResult](ctx, w.client, request.MemoryMoved, nil)
	if err != nil || len(found.Folders) == 0 {
		return
	}
	w.env.hint("nothing at all is remembered of this workspace; if it was moved here, contexture memory adopt FOLDER brings its memory. Gone folders with memory: %s",
		w.someFolders(found.Folders))
}

// someFolders lists the first folders of a list.
func (w *workspace) someFolders(list []string) string {
	var names []string
	for _, folder := range list[:min(maxMoved, len(list))] {
		names = append(names, w.env.tilde(folder))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func newMemoryStats(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Count what is remembered of the workspace",
		Args:  noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.remembered(c.Context(), func(w *workspace) error {
				s, err := asked[memory.Stats](c.Context(), w.client, request.MemoryStats, nil)
				if err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, s)
				}
				return printStats(f.env, s)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	return c
}

func printStats(e *environment, s *memory.Stats) error {
	return e.show(e.table("", [][]string{
		{"conversations", count(s.Conversations)}, {"turns", count(s.Turns)}, {"messages", count(s.Messages)}, {"rules", count(s.Rules)},
		{"lessons", count(s.Lessons)}, {"references", count(s.References)}, {"replaced", count(s.Superseded)},
		{"completed tasks", count(s.Tasks)}, {"blockers", count(s.Blockers)}, {"stored texts", count(s.Files)},
		{"on disk, all workspaces", bytesText(s.Bytes)},
	}, 1))
}
