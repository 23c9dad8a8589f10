package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newGenMan returns the command that writes the manual pages. It is hidden, since only packagers
// need it.
func newGenMan(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:    "gen-man DIR",
		Short:  "Write the manual pages of all commands and topics into a folder",
		Hidden: true,
		Args:   exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := f.env.abs(args[0])
			if err != nil {
				return err
			}
			return writeManual(c.Root(), dir)
		},
	}
}

// writeManual writes section 1 from the commands and section 7 from the topics.
func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	date := buildDate()
	root.DisableAutoGenTag = true
	header := doc.GenManHeader{
		Section: "1", Date: &date, Source: "contexture " + readVersion().Version, Manual: "Contexture",
	}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	for _, t := range topics() {
		_, body, _ := strings.Cut(t.text, "\n")
		page := fmt.Sprintf("%% \"CONTEXTURE-%s\" \"7\" \"%s\" \"%s\" \"%s\"\n",
			strings.ToUpper(t.name), date.Format("Jan 2006"), header.Source, header.Manual) +
			fmt.Sprintf("# NAME\ncontexture-%s - %s\n\n# DESCRIPTION\n", t.name, t.title) +
			body + "\n# SEE ALSO\n**contexture(1)**\n"
		file := filepath.Join(dir, "contexture-"+t.name+".7")
		if err := os.WriteFile(file, md2man.Render([]byte(page)), 0o644); err != nil {
			return fmt.Errorf("write the manual: %w", err)
		}
	}
	return nil
}

// buildDate returns the time of the commit from which the program was built, so that two builds of
// it write the same pages; the current time if the build does not record it.
func buildDate() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
					return at
				}
			}
		}
	}
	return time.Now()
}
