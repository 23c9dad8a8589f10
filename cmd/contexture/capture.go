package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

// perhapsImported describes the state after the daemon died during an import of conversations.
const perhapsImported rest = "what was imported until then is stored; importing again is safe"

func newCapture(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "capture",
		Short: "Remember the conversations that you have in other assistants' programs",
		Long: `Remember the conversations that you have in other assistants' programs, from the logs that they keep on this machine.
Only sources that you switch on are read, and only you can: no repository's settings do. Secrets are taken out before
anything is stored, and what you had forgotten stays forgotten.

The sources are ` + sentence(capture.Sources()) + `.`,
	}
	f.add(c, newCaptureStatus(f), onlyReads)
	f.add(c, newCaptureSet(f, true), perhapsImported)
	f.add(c, newCaptureSet(f, false), perhapsImported)
	f.add(c, newCaptureImport(f), perhapsImported)
	return c
}

// sentence joins words as in a sentence.
func sentence(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// captured runs a capture command of the contract, which needs no workspace.
func captured[R any](ctx context.Context, f *flags, name string, args map[string]any) (result *R, err error) {
	c, err := f.connect(ctx, "", memoryAlone)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if root, err := f.workspace(); err == nil {
		if err := c.ask(ctx, request.KnownRoot, &request.KnownRootParams{Path: root}, nil); err != nil {
			return nil, stopped(err)
		}
	}
	result, err = call[R](ctx, c, name, args)
	_, isLost := errors.AsType[*lostError](err)
	switch {
	case isLost:
		return nil, err
	case errors.Is(err, context.Canceled) || ctx.Err() != nil:
		return nil, errors.New("stopped; what was imported so far is kept")
	}
	return result, refusal(err, map[string]string{"source": "SOURCE", "sources": "SOURCE", "since": "--since"})
}

func newCaptureStatus(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show which sources are on, what was read of them, and what was not understood",
		Args:  noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			st, err := captured[command.CaptureStatusResult](c.Context(), f, "contexture.capture.status", map[string]any{})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f.env.stdout, st)
			}
			return printCapture(f.env, st)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result of contexture.capture.status")
	return c
}

func newCaptureSet(f *flags, on bool) *cobra.Command {
	var asJSON bool
	word, short := "off", "Stop reading the conversations of sources; what was stored stays"
	if on {
		word, short = "on", "Follow the conversations of sources from now on"
	}
	c := &cobra.Command{
		Use:     word + " SOURCE…",
		Short:   short,
		Example: "  contexture capture " + word + " claude-code codex",
		Args:    someWords("claude-code"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return capture.Sources(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, sources []string) error {
			for _, source := range sources { // all are checked before any is switched
				if !capture.IsSource(source) {
					return usage("SOURCE: %v", &capture.SourceError{Name: source})
				}
			}
			var st *command.CaptureStatusResult
			for _, source := range sources {
				var err error
				args := map[string]any{"source": source, "on": on}
				if st, err = captured[command.CaptureStatusResult](c.Context(), f, "contexture.capture.set", args); err != nil {
					return err
				}
			}
			if asJSON {
				return printJSON(f.env.stdout, st)
			}
			for _, source := range sources {
				f.env.hint("%s is %s", source, word)
			}
			if on {
				f.env.hint("earlier conversations are imported with: contexture capture import %s", strings.Join(sources, " "))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result of contexture.capture.set")
	return c
}

func newCaptureImport(f *flags) *cobra.Command {
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "import [SOURCE…]",
		Short: "Import the conversations from before a source was switched on",
		Long: `Import the conversations from before a source was switched on; without SOURCE, those of all that are on. What is
stored already is not added again, so that importing twice changes nothing.`,
		Example: `  contexture capture import claude-code
  contexture capture import --since 30d`,
		RunE: func(c *cobra.Command, sources []string) error {
			args := map[string]any{"sources": sources}
			if since != "" {
				at, err := timeSince(since, time.Now())
				if err != nil {
					return err
				}
				args["since"] = command.At(at)
			}
			done, err := captured[command.CaptureImportResult](c.Context(), f, "contexture.capture.import", args)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f.env.stdout, done)
			}
			return printImported(f.env, done)
		},
	}
	c.Flags().StringVar(&since, "since", "", "leave out logs that have not changed since: a date such as 2026-10-31, or an age such as 30d or 12h")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result of contexture.capture.import")
	return c
}

// timeSince parses a date, a time or an age.
func timeSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days+"!", "%d!", &n); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	return time.Time{}, usage("--since must be a date such as 2026-10-31 or an age such as 30d or 12h, not %q", text)
}

func printImported(e *environment, done *command.CaptureImportResult) error {
	failed := 0
	for _, s := range done.Sources {
		if s.Logs == 0 && len(s.Errors) == 0 {
			e.hint("%s: no logs found; contexture capture status lists the folders", s.Source)
		} else {
			e.hint("%s: %s added, of %s with %s", s.Source, counted(s.Messages, "message"), counted(s.Logs, "log"), bytesText(s.Bytes))
		}
		for _, u := range s.Unread {
			e.hint("%s: not read: %s", s.Source, unreadText(e, u))
		}
		for _, text := range s.Errors {
			e.hint("%s", text)
			failed++
		}
	}
	if failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// unreadText describes files or a table that were not read.
func unreadText(e *environment, u command.CaptureUnread) string {
	example := oneLine(e.tilde(u.Example), 0)
	if name, ok := strings.CutPrefix(u.What, "table "); ok {
		return fmt.Sprintf("table %s with %s, in %s", oneLine(name, 0), counted(u.Count, "row"), example)
	}
	return fmt.Sprintf("%s of %s with %s, such as %s", counted(u.Count, "file"), oneLine(u.What, 0), bytesText(u.Bytes), example)
}

// printCapture lists the sources that are on or have been read, then the others.
func printCapture(e *environment, st *command.CaptureStatusResult) error {
	var b strings.Builder
	var idle []string
	for _, s := range st.Sources {
		if !s.On && s.Logs == 0 && len(s.Errors) == 0 {
			idle = append(idle, s.Source)
			continue
		}
		captureRows(e, &b, s)
	}
	if len(idle) > 0 {
		fmt.Fprintf(&b, "off: %s\n", strings.Join(idle, ", "))
		fmt.Fprintf(&b, "contexture capture on SOURCE follows one\n")
	}
	return e.show(b.String())
}

// unknownShown is how many kinds of unknown records are listed.
const unknownShown = 10

// notStored are the texts for why sessions were not stored.
var notStored = map[string]string{
	capture.LeftOff:       "memory is switched off in its workspace",
	capture.LeftForgotten: "it was forgotten",
	capture.LeftUnplaced:  "its folder is known by a hash only; import again from within that folder",
	capture.LeftElsewhere: "it is stored from another log of the host",
}

func captureRows(e *environment, b *strings.Builder, s command.CaptureSource) {
	state := "off"
	switch {
	case s.On && s.Watching == "off":
		state = "on; followed while an editor or assistant is connected"
	case s.On && s.Watching == "poll":
		state = "on; checked at intervals, because the system does not report changes"
	case s.On:
		state = "on"
	}
	fmt.Fprintf(b, "%s  %s\n", e.outPalette().bold(s.Source), state)
	rows := [][]string{}
	for _, place := range s.Places {
		rows = append(rows, []string{"looks in", oneLine(e.tilde(place), 0)})
	}
	stored := "no log was read yet"
	if s.Logs > 0 {
		stored = counted(s.Messages, "message") + " of " + counted(s.Sessions, "session") + " in " + counted(s.Logs, "log")
	}
	rows = append(rows, []string{"stored", stored})
	if s.LastReadAt != nil {
		rows = append(rows, []string{"last read", s.LastReadAt.Local().Format(time.DateTime)})
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Left)) {
		rows = append(rows, []string{"not stored", counted(s.Left[reason], "session") + ": " + cmp.Or(notStored[reason], oneLine(reason, 0))})
	}
	for _, u := range s.Unread {
		rows = append(rows, []string{"not read", unreadText(e, u)})
	}
	for i, u := range s.Unknown {
		if i == unknownShown {
			rows = append(rows, []string{"", fmt.Sprintf("and %d more kinds (--json lists all)", len(s.Unknown)-i)})
			break
		}
		at := e.tilde(u.File)
		if u.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, u.Line)
		}
		rows = append(rows, []string{"not understood", fmt.Sprintf("%s × %s, first in %s", count(u.Count), oneLine(u.Kind, 0), oneLine(at, 0))})
	}
	for _, text := range s.Errors {
		rows = append(rows, []string{"error", oneLine(text, 0)})
	}
	b.WriteString(e.table("  ", rows))
}
