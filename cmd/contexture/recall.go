package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// recallFlags are the flags of `contexture recall`.
type recallFlags struct {
	budget             int
	conversation, kind string
	asJSON             bool
}

// recallNames maps each field of command.RecallArgs that the command line can set to its flag or
// argument.
var recallNames = map[string]string{
	"query": "QUERY", "budget": "--budget", "conversationId": "--conversation", "memoryType": "--type",
}

func newRecall(f *flags) *cobra.Command {
	var r recallFlags
	c := &cobra.Command{
		Use:   "recall [flags] QUERY…",
		Short: "Print what is remembered about a query; exits 1 when nothing is",
		Long: `Print what memory has about a query: turns of conversations, rules, lessons, notes and tasks, under a token budget. To
search the files of the workspace, use contexture search.`,
		Example: `  contexture recall "why is the pool limited to 20 connections?"
  contexture recall --type decision retries`,
		Args: someWords(`"why is the pool limited to 20 connections?"`),
		RunE: func(c *cobra.Command, words []string) error { return r.run(c, f, strings.Join(words, " ")) },
	}
	o := c.Flags()
	o.IntVarP(&r.budget, "budget", "b", 2000, "tokens that the answer may have, 64 to 100000")
	o.StringVar(&r.conversation, "conversation", "", "search only this conversation, by its `ID` or the beginning of it; contexture chats list prints the ids")
	o.StringVar(&r.kind, "type", "memory", "the `TYPE` wanted: memory, turn, rule, decision, lesson, reference, task, fact, procedure, episode, code, or any (memory and code)")
	o.BoolVarP(&r.asJSON, "json", "j", false, "print the result of contexture.recall, with path and line (from 1) beside each URI and range")
	f.completesFlag(c, "conversation", chatIDs)
	completesNames(f, c)
	completes(c, "type", "memory", "turn", "rule", "decision", "lesson", "reference", "task", "fact", "procedure", "episode", "code", "any")
	return c
}

func (r *recallFlags) run(c *cobra.Command, f *flags, query string) error {
	args := map[string]any{"query": query, "budget": r.budget, "memoryType": r.kind}
	if c.Flags().Changed("conversation") {
		args["conversationId"] = r.conversation
	}
	if err := check(args, &command.RecallArgs{}, recallNames); err != nil {
		return err
	}
	want := memoryFirst
	if r.kind == "any" || r.kind == "code" {
		want = withCode
	}
	return f.recollect(c.Context(), want, func(w *workspace) error {
		if r.conversation != "" {
			id, err := w.chatNamed(c.Context(), r.conversation)
			if err != nil {
				return err
			}
			args["conversationId"] = id
		}
		if want == withCode {
			if _, err := w.indexOrMemory(c.Context(), true); err != nil {
				return err
			}
		}
		found, err := call[command.RecallResult](c.Context(), w.client, "contexture.recall", args)
		if err != nil {
			return stopped(refusal(err, recallNames))
		}
		if r.asJSON {
			return orNothing(printJSON(f.env.stdout, recallOutput{found, scriptItems(w, found.Items)}), len(found.Items))
		}
		if len(found.Items) == 0 {
			w.hintMoved(c.Context())
		}
		f.env.hintDegraded(found.Degraded)
		if len(found.Items) == 0 {
			elsewhere := "contexture search searches the workspace's files"
			if r.kind != "memory" {
				elsewhere = "without --type all of memory is searched"
			}
			f.env.hint("%s; %s", found.Text, elsewhere)
			return errNothing
		}
		return w.printRecalled(found)
	})
}

// chatNamed returns the id of the conversation that a person named.
func (w *workspace) chatNamed(ctx context.Context, id string) (string, error) {
	chat, err := w.findChat(ctx, id)
	return chat.ID, err
}

// printRecalled writes what was recalled: for each item its origin, its date, the reason for it,
// and its text.
func (w *workspace) printRecalled(found *command.RecallResult) error {
	p := w.env.outPalette()
	turns := false
	text := listed(found.Items, func(b *strings.Builder, it command.Item) {
		turns = turns || it.TurnID != ""
		date := ""
		if it.Span != nil {
			date = elementDate(found.Text[it.Span.Start:it.Span.End])
		}
		fmt.Fprintf(b, "%s%s  %s\n", w.env.link(it.URI, lineOf(it.Range), p.path(w.origin(it))), date, p.faint(oneLine(it.Reason, 100)))
		if it.Span != nil {
			b.WriteString(indented("    ", bodyOf(found.Text[it.Span.Start:it.Span.End])))
		}
	})
	if err := w.env.show(text); err != nil {
		return err
	}
	if turns {
		w.env.see("contexture chats show ID --turn T-n for a whole turn")
	}
	return nil
}

// elementDate returns two spaces and the date of an element, "" if it has none.
func elementDate(element string) string {
	tag, _, _ := strings.Cut(element, "\n")
	_, rest, found := strings.Cut(tag, ` date="`)
	date, _, _ := strings.Cut(rest, `"`)
	if !found {
		return ""
	}
	return "  " + date
}

// origin returns where an item comes from: its conversation and turn, its location, or its title.
func (w *workspace) origin(it command.Item) string {
	switch {
	case it.URI != "":
		return w.place(it.URI, it.Range, true)
	case it.ConversationID != "":
		return strings.TrimSpace(oneLine(it.ConversationID, 0) + " " + turnsNamed(it))
	case it.Title != "":
		return oneLine(it.Title, 80)
	}
	return it.Kind
}

// turnsNamed returns the turn of an item, or the first and the last of several, from its id.
func turnsNamed(it command.Item) string {
	from, to, several := strings.Cut(it.ID[strings.LastIndexByte(it.ID, '/')+1:], "-through-")
	if !several || !strings.HasPrefix(from, "T-") {
		return it.TurnID
	}
	return from + " to T-" + to
}

// bodyOf returns the text between the delimiters of an element, unescaped.
func bodyOf(element string) string { return render.Unescape(innerText(element)) }

// innerText returns the text between the delimiters of an element.
func innerText(element string) string {
	_, body, _ := strings.Cut(element, "\n")
	body = strings.TrimSuffix(body, "\n")
	if at := strings.LastIndexByte(body, '\n'); at >= 0 {
		body = body[:at]
	}
	return body
}
