package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// statedLimit and ranLimit are how many statements, and lines of a command, are listed at most.
const statedLimit, ranLimit = 20, 10

// statedNames maps the fields of command.ActArgs that the command line can set to its arguments.
var statedNames = map[string]string{"path": "FILE", "output": "ERROR", "command": "COMMAND"}

func newBlame(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "blame FILE[:LINE]",
		Short: "List who ruled, decided or learned what about a file, and when; exits 1 when nobody did",
		Long: `List the rules that are in force, the decisions and the lessons that name a file, with their date and the turn of the
conversation in which they were stated, and with how often the file was committed since: what an assistant's hook tells
before it edits the file. With a line, what names the function or type there comes first, and what names only others of
the file is left out.`,
		Example: `  contexture blame store/pool.go
  contexture blame store/pool.go:42`,
		Args: exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			path, line, err := location(f.env, args[0])
			if err != nil {
				return err
			}
			asked := map[string]any{"path": path, "moved": true}
			if line > 0 {
				asked["position"] = map[string]any{"line": line - 1, "character": 0}
			}
			return runStated(c, f, asked, asJSON, "nothing was stated about "+args[0]+"; contexture recall searches what was said of it")
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.act")
	return c
}

// location splits FILE, FILE:LINE or FILE:LINE:COLUMN; line is 0 without one. A file that has the
// whole name is meant by it.
func location(e *environment, text string) (path string, line int, err error) {
	if path, err = e.abs(text); err != nil {
		return "", 0, err
	}
	if _, err := os.Lstat(path); err == nil || !strings.Contains(text, ":") {
		return path, 0, nil
	}
	for end := strings.LastIndexByte(path, ':'); end > 0; end = strings.LastIndexByte(path[:end], ':') {
		data, err := os.ReadFile(path[:end])
		if err != nil {
			continue
		}
		given, column, _ := strings.Cut(path[end+1:], ":")
		if line, err = strconv.Atoi(given); err != nil || line < 1 {
			return "", 0, usage("LINE: %q is not the number of a line; lines count from 1", given)
		}
		if n, err := strconv.Atoi(column); column != "" && (err != nil || n < 1) {
			return "", 0, usage("COLUMN: %q is not the number of a column; columns count from 1", column)
		}
		lines := bytes.Count(data, []byte("\n"))
		if len(data) > 0 && data[len(data)-1] != '\n' {
			lines++
		}
		if line > lines {
			return "", 0, usage("LINE: %s has %s, and no line %d", path[:end], fmt.Sprintf("%d %s", lines, plural(lines, "line")), line)
		}
		return path[:end], line, nil
	}
	if m := lineAtEnd.FindStringSubmatch(text); m != nil {
		return "", 0, usage("FILE: %s does not exist, so that it has no line %s; without the line, what was stated about it is listed", m[1], m[2])
	}
	return path, 0, nil
}

// lineAtEnd matches a name with the number of a line after it.
var lineAtEnd = regexp.MustCompile(`^(.+?):(\d+)(?::\d+)?$`)

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
			text, err := f.env.readWords(c.Context(), "ERROR", words)
			if err != nil {
				return err
			}
			if len(text) > 1<<20 {
				return usage("ERROR: is longer than 1 MiB; give its end, as tail -c 32k prints it")
			}
			return runStated(c, f, map[string]any{"output": text}, asJSON, "this failure is not remembered; contexture recall searches what was said of it")
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.act")
	return c
}

func newHow(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "how COMMAND…",
		Short: "Print how a command was run here and what came of it; exits 1 when that is not remembered",
		Long: `Print the lines by which a command was run in remembered conversations: how often, how often it failed, when and in which
turn it ran last, what it said when it failed, and what passed after that. COMMAND is its program and other words of the
line, in their order; options that belong to it go after "--". What ran often and lately comes first.`,
		Example: `  contexture how make test
  contexture how -- go test -race`,
		Args: someWords("make test"),
		RunE: func(c *cobra.Command, words []string) error {
			if len(words) > 1 {
				words = shellWords(words)
			}
			text, err := f.env.readWords(c.Context(), "COMMAND", words)
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return usage("COMMAND: is empty")
			}
			return runStated(c, f, map[string]any{"command": text}, asJSON, fmt.Sprintf("a run of %q is not remembered; contexture recall searches what was said of it", oneLine(text, 80)))
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.act")
	return c
}

// shellWords quotes those words that a shell would take apart, as the person's shell has unquoted
// them.
func shellWords(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if strings.ContainsAny(w, " \t\n|&;<>()'\"") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return out
}

// runStated prints what memory has at an act, and none if that is nothing.
func runStated(c *cobra.Command, f *flags, args map[string]any, asJSON bool, none string) error {
	args["limit"] = statedLimit
	if args["command"] != nil {
		args["limit"] = ranLimit
	}
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
			return orNothing(printJSON(f.env.stdout, found), len(found.Statements)+len(found.Runs))
		}
		f.env.hintDegraded(found.Degraded)
		p := f.env.outPalette()
		text, turns := statements(p, found.Statements, args["path"]), slices.ContainsFunc(found.Statements, func(s command.ActStatement) bool { return s.TurnID != "" })
		if len(found.Runs) > 0 {
			text, turns = runs(p, found.Runs), true
		}
		if text == "" {
			f.env.hint("%s", none)
			return errNothing
		}
		if err := f.env.show(text); err != nil {
			return err
		}
		if found.MoreRuns {
			f.env.hint("there is more; further words of the command narrow it")
		}
		if turns {
			f.env.see("contexture chats show ID --turn T-n for a whole turn")
		}
		return nil
	})
}

// statements returns what was stated, with its source and what changed in the file since.
func statements(p palette, list []command.ActStatement, file any) string {
	name, _ := file.(string)
	name = filepath.Base(name)
	return listed(list, func(b *strings.Builder, s command.ActStatement) {
		fmt.Fprintf(b, "%s  %s%s\n", s.Kind, p.path(turnOr(s.ConversationID, s.TurnID, s.ID)), dated(s.Date))
		b.WriteString(indented("    ", s.Text))
		if m := s.Moved; m != nil {
			b.WriteString("    " + p.faint(fmt.Sprintf("%s changed in %d %s since, last %s: %s", name, m.Commits, plural(m.Commits, "commit"), m.Date, oneLine(m.Subject, 80))) + "\n")
		}
	})
}

// turnOr returns the turn of a conversation in which something was stated, else its id.
func turnOr(conversation, turn, id string) string {
	if turn == "" {
		return id
	}
	return conversation + " " + turn
}

// runs returns the lines by which a command was run, and what came of them.
func runs(p palette, list []command.ActRun) string {
	return listed(list, func(b *strings.Builder, r command.ActRun) {
		b.WriteString(block(r.Command) + "\n")
		if r.Folder != "" {
			b.WriteString("    in " + block(r.Folder) + "\n")
		}
		fmt.Fprintf(b, "    %s  %s%s\n", ranHow(r), p.path(r.ConversationID+" "+r.TurnID), dated(r.Date))
		if r.Failure != "" {
			b.WriteString("    failed with: " + oneLine(r.Failure, 0) + "\n")
		}
		switch {
		case r.Passed == nil:
		case r.Passed.Command == r.Command:
			fmt.Fprintf(b, "    passed afterwards in %s\n", p.path(r.Passed.TurnID))
		default:
			fmt.Fprintf(b, "    then passed in %s: %s\n", p.path(r.Passed.TurnID), block(r.Passed.Command))
		}
	})
}

// ranHow returns how often a command ran and what came of it.
func ranHow(r command.ActRun) string {
	switch {
	case r.Times == 1:
		return "ran once, " + r.Outcome
	case r.Failures == 0:
		return fmt.Sprintf("ran %s, never failed, last %s", times(r.Times), r.Outcome)
	case r.Failures == r.Times:
		return fmt.Sprintf("ran %s and failed each time", times(r.Times))
	}
	return fmt.Sprintf("ran %s, failed %s, last %s", times(r.Times), times(r.Failures), r.Outcome)
}

// times returns a count in words: "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// dated returns a date after what it belongs to, "" for none.
func dated(date string) string {
	if date == "" {
		return ""
	}
	return "  " + date
}
