package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/spf13/cobra"
)

// Shared by the commands that query: how they exit when nothing matches, the hints that follow an
// answer, and the JSON of locations for scripts.

// errNothing is the exit of a command that found nothing, as grep does. The reason has already been
// written.
var errNothing = &exitError{code: exitFailed}

// orNothing returns err, or errNothing if err is nil and n is 0.
func orNothing(err error, n int) error {
	if err == nil && n == 0 {
		return errNothing
	}
	return err
}

// hint writes a line for the person to standard error: what an answer lacks, or what was done.
func (e *environment) hint(format string, args ...any) {
	fmt.Fprintln(e.stderr, "contexture: "+oneLine(fmt.Sprintf(format, args...), 0))
}

// hintDegraded writes a line for each degradation of an answer.
func (e *environment) hintDegraded(list []command.Degradation) {
	for _, d := range list {
		e.hint("%s", degradation(d))
	}
}

// see lists, on standard error, commands to run next.
func (e *environment) see(format string, args ...any) {
	fmt.Fprintln(e.stderr, e.errPalette().faint("See "+oneLine(fmt.Sprintf(format, args...), 0)+"."))
}

// group adds commands that only read to a group.
func (f *flags) group(c *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	for _, sub := range subs {
		f.add(c, sub, onlyReads)
	}
	return c
}

// add adds a command that queries the server to a group.
func (f *flags) add(c, sub *cobra.Command, known rest) {
	sub.RunE = f.served(known, untilClosed(sub.RunE))
	c.AddCommand(sub)
}

// completes registers the values of a flag for shell completion.
func completes(c *cobra.Command, flag string, values ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist, or already has completions: a bug in this package
	}
}

// plainWord matches an argument that needs no quoting in a shell.
var plainWord = regexp.MustCompile(`^[\w@%+:,./-][\w@%+=:,./~#-]*$`)

// shellWord quotes an argument for a shell where that is needed.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// scriptPlace is a location for scripts, in addition to the URI and the range of LSP, whose lines
// count from 0.
type scriptPlace struct {
	// Path can be opened from the working directory: it is relative to it if the file lies in the
	// workspace, else absolute.
	Path string `json:"path,omitempty"`
	// Line and EndLine count from 1; EndLine is included.
	Line    int `json:"line,omitempty"`
	EndLine int `json:"endLine,omitempty"`
}

// placeOf returns the location of a URI and a range; the zero value if the URI does not name a
// file.
func (w *workspace) placeOf(uri string, r *command.Range) (out scriptPlace) {
	path, ok := transport.FilePath(uri)
	if !ok {
		return scriptPlace{}
	}
	out.Path = path
	if dir := w.env.dir; dir != "" && within(w.root, dir) && within(w.root, path) {
		if rel, err := filepath.Rel(dir, path); err == nil {
			out.Path = rel
		}
	}
	if r != nil {
		out.Line, out.EndLine = r.Start.Line+1, r.End.Line+1
		if r.End.Character == 0 && r.End.Line > r.Start.Line {
			out.EndLine--
		}
	}
	return out
}

// scriptHit, scriptItem and the results that hold them are those of the contract, with locations
// for scripts.
type scriptHit struct {
	command.Hit
	scriptPlace
}

type searchOutput struct {
	*command.SearchResult
	Hits []scriptHit `json:"hits"`
}

func (a *foundHits) script() searchOutput {
	out := searchOutput{SearchResult: a.result, Hits: make([]scriptHit, len(a.hits))}
	for i, h := range a.hits {
		out.Hits[i] = scriptHit{h.Hit, h.w.placeOf(h.URI, h.Range)}
	}
	return out
}

type scriptItem struct {
	command.Item
	scriptPlace
}

func scriptItems(w *workspace, items []command.Item) []scriptItem {
	out := make([]scriptItem, len(items))
	for i, it := range items {
		out[i] = scriptItem{it, w.placeOf(it.URI, it.Range)}
	}
	return out
}

type bundleOutput struct {
	*command.BundleResult
	Items []scriptItem `json:"items"`
}

type recallOutput struct {
	*command.RecallResult
	Items []scriptItem `json:"items"`
}
