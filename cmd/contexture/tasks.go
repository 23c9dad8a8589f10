package main

import (
	"cmp"
	"io"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

func newTasks(f *flags) *cobra.Command {
	var limit int
	tasks := report[command.TaskListResult]{"contexture.task.list", limited[command.TaskListArgs](&limit), printTasks}
	c := tasks.command(f, &cobra.Command{
		Use:     "tasks",
		Short:   "List what blocks tasks, and the tasks that are done, the latest first",
		Example: "  contexture tasks -n 5",
	})
	c.Flags().IntVarP(&limit, "limit", "n", 20, "completed tasks at most, 1 to 100; all blockers are listed")
	return c
}

// printTasks lists blockers, then completed tasks.
func printTasks(e *environment, list *command.TaskListResult) error {
	if len(list.Blockers)+len(list.Completed) == 0 {
		e.hint("no task is recorded of this workspace; assistants and editors record them")
		return nil
	}
	p := e.outPalette()
	var rows [][]string
	for _, t := range list.Blockers {
		rows = append(rows, []string{"blocked", dateOf(t.At.Time), oneLine(t.TaskID, 60), oneLine(t.Reason, 160)})
	}
	for _, t := range list.Completed {
		state := "done"
		if t.Success != nil && !*t.Success {
			state = "failed"
		}
		rows = append(rows, []string{state, dateOf(t.At.Time), oneLine(t.TaskID, 60), oneLine(cmp.Or(t.Summary, t.Intent), 160)})
	}
	text := strings.Split(e.table("", rows), "\n")
	for i := range list.Blockers {
		text[i] = p.yellow(text[i])
	}
	_, err := io.WriteString(e.stdout, strings.Join(text, "\n"))
	return err
}
