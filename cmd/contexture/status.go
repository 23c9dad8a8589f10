package main

import (
	"fmt"

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
				if w.about.HasIndex { // otherwise none exists, and status creates none
					out.Index, err = call[command.IndexStatusResult](c.Context(), w.client, "contexture.index.status", map[string]any{})
				}
				if err != nil {
					return stopped(err)
				}
				if out.Learning, err = call[command.LearningStatus](c.Context(), w.client, "contexture.knowledge.status", map[string]any{}); err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, out)
				}
				if err := f.show(f.table("", nil, indexRows(out.Index))); err != nil {
					return err
				}
				if _, err := fmt.Fprintln(f.env.stdout); err != nil {
					return err
				}
				return f.show(f.table("", nil, append([][]string{{"learning", ""}}, learningRows(out.Learning)...)))
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the results of contexture.index.status and contexture.knowledge.status")
	return c
}

// indexRows describes the state of the index; st is nil if there is none.
func indexRows(st *command.IndexStatusResult) [][]string {
	if st == nil {
		return [][]string{{"index", "none here; contexture index builds one"}}
	}
	state := st.State
	if st.Queue > 0 {
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
