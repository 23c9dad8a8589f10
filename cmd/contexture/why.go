package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newWhy(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "why FILE",
		Short: "Show whether a file is indexed, and which rule decides it",
		Long: `Show whether a file is indexed and which rule, in which file and line, decides it. A relative FILE starts at the working
directory, or at the root if that is elsewhere. The file need not exist.`,
		Example: "  contexture why build/out.js",
		Args:    exactlyOne,
		RunE:    func(c *cobra.Command, args []string) error { return runWhy(f, args[0], asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result of contexture.index.why")
	return c
}

func runWhy(f *flags, file string, asJSON bool) error {
	if file == "" {
		return usage("FILE: is empty")
	}
	v, root, set, problems, err := f.bare()
	if err != nil {
		return err
	}
	path, err := whyPath(f.env, root, file)
	if err != nil {
		return fmt.Errorf("why %s: %w", file, err)
	}
	result, decision, err := v.Why(root, path, set)
	if err != nil {
		return explain(err)
	}
	f.env.sayProblems(problems)
	if asJSON {
		return printJSON(f.env.stdout, result)
	}
	return f.env.show(whyText(f.env.shown(root, path), root, result, decision.Reason) + "\n")
}

// whyPath returns the path of the file: relative to the working directory, or to the root if the
// working directory lies outside the root and the path stays inside it.
func whyPath(e *environment, root, file string) (string, error) {
	path, err := e.abs(file)
	if err != nil || filepath.IsAbs(file) || within(root, path) {
		return path, err
	}
	if in := filepath.Join(root, file); within(root, in) {
		if dir, err := e.abs("."); err == nil && !within(root, dir) {
			return in, nil
		}
	}
	return path, nil
}

// within reports whether a path is that of a folder or of what is in it.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// whyText returns the answer as a sentence: the verdict, the reason in words, the rule and its
// location.
func whyText(path, root string, r *command.WhyResult, reason source.Reason) string {
	path = oneLine(path, 0)
	place := ""
	if r.Source != "" && r.Source != "builtin" {
		place = r.Source
		if r.Line > 0 {
			place = fmt.Sprintf("%s:%d", r.Source, r.Line)
		}
	}
	rule := oneLine(r.Rule, 200)
	switch {
	case r.Indexed && place != "":
		return fmt.Sprintf("%s is indexed: %s says %s", path, place, rule)
	case r.Indexed:
		return path + " is indexed: no rule excludes it"
	case reason == source.NotFound:
		return path + " is not indexed: it does not exist, and no rule would exclude it"
	case reason == source.Directory:
		return path + " is a folder: the files in it may be indexed; ask about one of them"
	case reason == source.OutsideRoot:
		return fmt.Sprintf("%s is not indexed: it lies outside the workspace %s (outsideRoot)", path, oneLine(root, 0))
	case place != "":
		return fmt.Sprintf("%s is not indexed: it is %s; %s says %s", path, whyReason(reason), place, rule)
	case rule == "" || rule == string(reason):
		return fmt.Sprintf("%s is not indexed: it is %s", path, whyReason(reason))
	}
	return fmt.Sprintf("%s is not indexed: it is %s by a built-in rule, %s", path, whyReason(reason), rule)
}

// whyReason returns a reason as an adjective.
func whyReason(reason source.Reason) string {
	switch reason {
	case source.TooLarge:
		return "too large"
	case source.Link:
		return "a link"
	case source.Special:
		return "no regular file"
	case source.Vendored:
		return "vendored or built"
	}
	return strings.ToLower(string(reason))
}
