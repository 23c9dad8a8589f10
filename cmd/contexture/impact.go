package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/spf13/cobra"
)

// impactNames maps the fields of command.ImpactArgs that the command line can set to its flags and
// argument.
var impactNames = map[string]string{"revision": "REV", "depth": "--depth", "limit": "--limit", "deadlineMs": "--deadline"}

func newImpact(f *flags) *cobra.Command {
	var depth, limit int
	var deadline time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "impact [flags] [REV]",
		Short: "List what a change concerns: definitions, callers, tests to run, documents, settings and rules; exits 1 when nothing changed",
		Long: `List what a change concerns, each place with the reason: the definitions that it touches, what calls and implements
them, the tests to run, documents and settings that name them, and the rules, decisions and lessons about its files.

Without REV, the change is what the working tree has beyond HEAD, staged or not. REV is a commit, which is compared with
its first parent, A..B, or A...B, which compares B with where it left A.`,
		Example: `  contexture impact
  contexture impact HEAD~2
  contexture impact --depth 1 main...`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, words []string) error {
			args := map[string]any{"deadlineMs": deadline.Milliseconds()}
			if len(words) == 1 {
				args["revision"] = words[0]
			}
			if c.Flags().Changed("depth") {
				args["depth"] = depth
			}
			if c.Flags().Changed("limit") {
				args["limit"] = limit
			}
			return runImpact(c, f, args, asJSON)
		},
	}
	o := c.Flags()
	o.IntVar(&depth, "depth", 0, "steps of callers, 1 to 4 (default 2)")
	o.IntVarP(&limit, "limit", "n", 0, "places of each kind at most, 1 to 200 (default 20)")
	o.DurationVar(&deadline, "deadline", patience, "time for the answer once the index is ready")
	o.BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.impact")
	return c
}

// runImpact prints what a change concerns.
func runImpact(c *cobra.Command, f *flags, args map[string]any, asJSON bool) (err error) {
	if err := check(args, &command.ImpactArgs{}, impactNames); err != nil {
		return err
	}
	ctx := c.Context()
	w, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if _, err := w.index(ctx); err != nil {
		return err
	}
	if err := w.upToDate(ctx); err != nil {
		return err
	}
	found, err := call[command.ImpactResult](ctx, w.client, "contexture.impact", args)
	if err != nil {
		return stopped(refusal(err, impactNames))
	}
	if asJSON {
		return orNothing(printJSON(f.env.stdout, found), len(found.Files))
	}
	f.env.hintDegraded(found.Degraded)
	if len(found.Files) == 0 {
		f.env.hint("nothing changed")
		return errNothing
	}
	if err := f.env.show(w.impactText(found)); err != nil {
		return err
	}
	if found.More.AtLeast {
		f.env.hint("not everything was searched; a narrower REV, --depth 1 or a longer --deadline helps")
	}
	return nil
}

// impactText returns the lists of what a change concerns, each below its heading.
func (w *workspace) impactText(r *command.ImpactResult) string {
	p := w.env.outPalette()
	var b strings.Builder
	head := func(title string, n, more int) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if more > 0 {
			title += fmt.Sprintf(" (%d of %d)", n, n+more)
		}
		b.WriteString(p.bold(title) + "\n")
	}
	list := func(title string, places []command.ImpactPlace, more int) {
		if len(places) == 0 {
			return
		}
		head(title, len(places), more)
		for _, at := range places {
			line := "  " + w.env.link(at.URI, lineOf(at.Range), p.path(w.place(at.URI, at.Range, false)))
			if at.Kind != "" { // else the reason has the name
				line += "  " + oneLine(at.Kind+" "+at.Name, 0)
			}
			b.WriteString(hang(line+"  "+p.faint(oneLine(at.Why, 0)), w.env.widthOf(w.env.out)) + "\n")
		}
	}
	head("Changed files", len(r.Files), r.More.Files)
	for _, file := range r.Files {
		name := p.path(oneLine(file.Path, 0))
		if file.Change != "removed" {
			name = w.env.link(transport.FileURI(filepath.Join(w.root, file.Path)), 0, name)
		}
		b.WriteString("  " + name)
		if file.Change != "changed" {
			b.WriteString("  " + p.faint(file.Change))
		}
		b.WriteByte('\n')
	}
	list("Tests to run", r.Tests, r.More.Tests)
	list("Definitions", r.Definitions, r.More.Definitions)
	list("Called or used by", r.Callers, r.More.Callers)
	list("Implemented or overridden by", r.Implementations, r.More.Implementations)
	list("Documents", r.Documents, r.More.Documents)
	list("Settings", r.Settings, r.More.Settings)
	if len(r.Statements) > 0 {
		head("Rules, decisions and lessons", len(r.Statements), r.More.Statements)
		for _, s := range r.Statements {
			line := fmt.Sprintf("  %s  %s  %s%s", p.path(oneLine(s.Path, 0)), s.Kind, p.faint(turnOr(s.ConversationID, s.TurnID, s.ID)), dated(s.Date))
			b.WriteString(hang(line, w.env.widthOf(w.env.out)) + "\n")
			b.WriteString(indented("    ", s.Text))
		}
	}
	return b.String()
}
