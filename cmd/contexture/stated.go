package main

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// statedLimit is how many statements are listed at most.
const statedLimit = 20

// statedNames maps the fields of command.ActArgs that the command line can set to its arguments.
var statedNames = map[string]string{"path": "FILE", "output": "ERROR"}

func newBlame(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "blame FILE",
		Short: "List who ruled, decided or learned what about a file, and when; exits 1 when nobody did",
		Long: `List the rules that are in force, the decisions and the lessons that name a file, with their date and the turn of the
conversation in which they were stated: what an assistant's hook tells before it edits the file.`,
		Example: "  contexture blame store/pool.go",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			path, err := f.env.abs(args[0])
			if err != nil {
				return err
			}
			return f.stated(c, map[string]any{"path": path}, asJSON, "nothing was stated about "+args[0]+"; contexture recall searches what was said of it")
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.act")
	return c
}

func newFix(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "fix ERROR…",
		Short: "Print what fixed the same error before; exits 1 when nothing is remembered of it",
		Long: `Print what fixed an error before: the lessons about the same failure, whatever its numbers and folders. ERROR is what
the failed command printed, or "-" to read that from standard input.`,
		Example: `  contexture fix "error: pool 7 is not drained"
  make test 2>&1 | contexture fix -`,
		Args: someWords(`"error: pool 7 is not drained"`),
		RunE: func(c *cobra.Command, words []string) error {
			text, err := f.readWords(c.Context(), "ERROR", words)
			if err != nil {
				return err
			}
			if len(text) > 1<<20 {
				return usage("ERROR: is longer than 1 MiB; give its end, as tail -c 32k prints it")
			}
			return f.stated(c, map[string]any{"output": text}, asJSON, "this failure is not remembered; contexture recall searches what was said of it")
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.act")
	return c
}

// stated prints what memory has at an act. none is told if that is nothing.
func (f *flags) stated(c *cobra.Command, args map[string]any, asJSON bool, none string) error {
	args["limit"] = statedLimit
	if err := check(args, &command.ActArgs{}, statedNames); err != nil {
		return err
	}
	return f.recollect(c.Context(), withCode, func(w *workspace) error {
		if _, err := w.indexOrMemory(c.Context(), false); err != nil {
			return err
		}
		found, err := call[command.ActResult](c.Context(), w.client, "contexture.act", args)
		if err != nil {
			return stopped(refusal(err, statedNames))
		}
		if asJSON {
			return orNothing(printJSON(f.env.stdout, found), len(found.Statements))
		}
		for _, d := range found.Degraded {
			f.hint("%s", degradation(d))
		}
		if len(found.Statements) == 0 {
			f.hint("%s", none)
			return errNothing
		}
		p := f.env.outPalette()
		var b strings.Builder
		turns := false
		for i, s := range found.Statements {
			if i > 0 {
				b.WriteByte('\n')
			}
			from := s.ID
			if s.TurnID != "" {
				from, turns = s.ConversationID+" "+s.TurnID, true
			}
			fmt.Fprintf(&b, "%s  %s%s\n", s.Kind, p.path(from), dated(s.Date))
			b.WriteString("    " + strings.ReplaceAll(block(s.Text), "\n", "\n    ") + "\n")
		}
		if err := f.show(b.String()); err != nil {
			return err
		}
		if turns {
			f.see("contexture chats show ID --turn T-n for a whole turn")
		}
		return nil
	})
}

// dated returns a date after what it belongs to, "" for none.
func dated(date string) string {
	if date == "" {
		return ""
	}
	return "  " + date
}
