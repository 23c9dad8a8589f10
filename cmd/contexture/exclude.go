package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newExclude(f *flags) *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use:   "exclude [flags] PATH",
		Short: "Leave a folder or a file out of the index, by a line in .contextureignore",
		Long: `Leave a folder or a file out of the index, by a line in the file .contextureignore of the workspace's root. The index
follows at once. PATH with one of *?[! is a pattern in the syntax of .gitignore, and written as it is.`,
		Example: `  contexture exclude testdata/huge
  contexture exclude '*.min.css'
  contexture exclude --remove testdata/huge`,
		Args: exactlyOne,
		RunE: func(c *cobra.Command, args []string) error { return runExclude(c.Context(), f, args[0], remove) },
	}
	c.Flags().BoolVar(&remove, "remove", false, "remove the line again")
	return c
}

func runExclude(ctx context.Context, f *flags, path string, remove bool) (err error) {
	w, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if _, err := w.index(ctx); err != nil {
		return err
	}
	pattern, err := excludePattern(f.env, w.root, path)
	if err != nil {
		return err
	}
	done, err := call[command.ExcludeResult](ctx, w.client, "contexture.index.exclude", map[string]any{"pattern": pattern, "remove": remove})
	if err != nil {
		return stopped(refusal(err, map[string]string{"pattern": "PATH"}))
	}
	f.env.hint("%s has %s: %s", ignoreFile, counted(len(done.Patterns), "pattern"), strings.Join(done.Patterns, ", "))
	return nil
}

// ignoreFile has the patterns of files that are left out of the index.
const ignoreFile = ".contextureignore"

// excludePattern returns the pattern of what a person wants to leave out.
func excludePattern(e *environment, root, path string) (string, error) {
	if path == "" || strings.ContainsAny(path, "*?[!") {
		return path, nil
	}
	full, err := whyPath(e, root, path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, full)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", usage("PATH: %s is not in the workspace %s", path, root)
	}
	pattern := "/" + filepath.ToSlash(rel)
	if isFolder(full) {
		pattern += "/"
	}
	return pattern, nil
}
