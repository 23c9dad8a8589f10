package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

func newIndex(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "index [DIR]",
		Short: "Bring the index up to date",
		Long:  "Bring the index of the workspace up to date, or that of the folder DIR, and print what it contains.",
		Args:  atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if f.root != "" && f.root != args[0] {
					return usage("DIR and --root name two folders: %s and %s", args[0], f.root)
				}
				f.root = args[0]
			}
			return runIndex(c, f, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result of contexture.index.status")
	return c
}

func runIndex(c *cobra.Command, f *flags, asJSON bool) (err error) {
	ctx := c.Context()
	start := f.env.clock()
	w, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if _, err := w.index(ctx); err != nil {
		return err
	}
	x, err := w.ready(ctx)
	if err != nil {
		return err
	}
	if err := w.awaitModel(ctx); err != nil {
		return err
	}
	if asJSON {
		result, err := call[command.IndexStatusResult](ctx, w.client, "contexture.index.status", map[string]any{})
		if err != nil {
			return err
		}
		return printJSON(f.env.stdout, result)
	}
	took := f.env.clock().Sub(start)
	now, err := asked[request.IndexResult](ctx, w.client, request.IndexState, nil)
	if err != nil {
		return explain(err)
	}
	if w.close() != nil { // writes what is still in memory, so that the size is final
		return nil // the deferred close reports it
	}
	return summarizeIndex(w, x.Status, now.Model, took)
}

// diskBytes returns the size of the files in a folder; unreadable files count as empty.
func diskBytes(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// quarantineShown is how many files in quarantine are listed by name.
const quarantineShown = 10

// summarizeIndex prints a summary of what an index holds.
func summarizeIndex(w *workspace, st indexer.Status, m indexer.ModelStatus, took time.Duration) error {
	did := "nothing had changed"
	if st.Parsed > 0 {
		did = counted(st.Parsed, "file") + " read"
	}
	rows := [][]string{
		{"files", count(st.Files) + " with " + bytesText(st.Bytes) + " of text"},
		{"pieces", count(st.Chunks)},
		{"symbols", count(st.Symbols)},
		{"vectors", vectorsText(st)},
	}
	if m.Name != "" {
		rows = append(rows, []string{"", modelText(m)})
	}
	if st.Commits > 0 {
		rows = append(rows, []string{"history", counted(st.Commits, "commit")})
	}
	rows = append(rows, []string{"skipped", skippedText(st.Skipped)})
	if n := len(st.Quarantined); n > 0 {
		rows = append(rows, []string{"degraded", counted(n, "file") + ", searchable as plain text only:"})
		for i, q := range st.Quarantined {
			if i == quarantineShown {
				rows = append(rows, []string{"", fmt.Sprintf("and %d more (--json lists all)", n-i)})
				break
			}
			rows = append(rows, []string{"", oneLine(q.Path, 0) + ": " + oneLine(q.Reason, 100)})
		}
	}
	rows = append(rows,
		[]string{"took", durationText(took) + ", " + did},
		[]string{"kept in", w.env.tilde(w.about.IndexDir) + " (" + bytesText(diskBytes(w.about.IndexDir)) + ")"})
	for _, text := range st.Errors {
		fmt.Fprintf(w.env.stderr, "contexture: %s\n", oneLine(text, 0))
	}
	if st.Files == 0 {
		w.env.hint("no file is indexed; contexture why FILE shows why one is not")
	}
	return w.env.show(w.env.outPalette().bold(oneLine(w.root, 0)) + "\n" + w.env.table("  ", rows))
}

// modelText describes how many vectors of the model server's model are done.
func modelText(m indexer.ModelStatus) string {
	text := fmt.Sprintf("%s of %s, %d dimensions, by %s", count(m.Total-m.Pending), count(m.Total), m.Dimensions, oneLine(m.Name, 80))
	if m.Problem != "" {
		text += ": " + oneLine(m.Problem, 120)
	}
	return text
}

func vectorsText(st indexer.Status) string {
	if st.Pending > 0 {
		return fmt.Sprintf("%s of %s, by %s", count(st.Chunks-st.Pending), count(st.Chunks), st.Embedder)
	}
	return fmt.Sprintf("%s of %d dimensions, by %s (built in)", count(st.Chunks), st.Dimensions, st.Embedder)
}

// skippedText lists the skipped files by reason.
func skippedText(skipped []indexer.SkipCount) string {
	counts := map[string]int{}
	for _, s := range skipped {
		if s.Count > 0 {
			counts[skipReason(string(s.Reason))] += s.Count
		}
	}
	if len(counts) == 0 {
		return "nothing"
	}
	return tally(counts)
}

// skipReasons are the display texts of source.Reason.
var skipReasons = map[string]string{
	"tooLarge": "too large", "outsideRoot": "outside the workspace", "special": "special files", "notFound": "gone", "link": "links", "directory": "folders",
	"vendored": "vendored or built",
}

func skipReason(reason string) string {
	if text := skipReasons[reason]; text != "" {
		return text
	}
	return reason
}
