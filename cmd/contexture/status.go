package main

import (
	"fmt"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// statusOutput is what `contexture status --json` prints.
type statusOutput struct {
	Index    *command.IndexStatusResult `json:"index,omitempty"` // absent where there is none
	Learning *command.LearningStatus    `json:"learning"`
}

func newStatus(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what runs in the background: indexing, and learning from conversations",
		Long: `Show the state of the workspace's index and of the offline learning: its current stage and progress, what it waits for,
when it last ran, and what it found.`,
		Example: "  contexture status",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.recollect(c.Context(), memoryFirst, func(w *workspace) (err error) {
				out := &statusOutput{}
				var stored indexer.Status
				if w.about.HasIndex { // otherwise none exists, and status creates none
					x, err := w.index(c.Context())
					if err != nil {
						return stopped(err)
					}
					stored = x.Status
					if out.Index, err = call[command.IndexStatusResult](c.Context(), w.client, "contexture.index.status", map[string]any{}); err != nil {
						return stopped(err)
					}
				}
				if out.Learning, err = call[command.LearningStatus](c.Context(), w.client, "contexture.knowledge.status", map[string]any{}); err != nil {
					return stopped(err)
				}
				if out.Index != nil && !w.shared { // the session has read nothing yet; the index knows what is stored
					out.Index.Files, out.Index.Chunks, out.Index.Symbols, out.Index.Bytes = stored.Files, stored.Chunks, stored.Symbols, stored.Bytes
				}
				if asJSON {
					return printJSON(f.env.stdout, out)
				}
				if err := f.env.show(f.env.table("", indexRows(out.Index, w.shared))); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(f.env.stdout); err != nil {
					return err
				}
				return f.env.show(f.env.table("", append([][]string{{"learning", ""}}, learningRows(out.Learning)...)))
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the results of contexture.index.status and contexture.knowledge.status")
	return c
}

// indexRows describes the state of the index; st is nil if there is none. If no process is shared,
// nothing follows the workspace once this command has ended.
func indexRows(st *command.IndexStatusResult, shared bool) [][]string {
	if st == nil {
		return [][]string{{"index", "none here; contexture index builds one"}}
	}
	state := st.State
	switch {
	case !shared && st.State != "error":
		state = "stored; no process follows the workspace now, the next request reads what has changed"
	case st.Queue > 0:
		state += fmt.Sprintf(", %s of %s files to read", count(st.Queue), count(st.FilesTotal))
	}
	rows := [][]string{{"index", state}, {"files", count(st.Files) + " with " + bytesText(st.Bytes) + " of text"}}
	if e := st.Embedder; e.Pending > 0 {
		text := count(e.Pending) + " pieces to embed"
		if e.Problem != "" {
			text += ": " + oneLine(e.Problem, 120)
		}
		rows = append(rows, []string{"vectors", text})
	}
	return rows
}
