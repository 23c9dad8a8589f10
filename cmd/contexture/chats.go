package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

func newChats(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "chats",
		Short: "List, show and search the conversations that are remembered",
		Long: `The conversations with assistants that are remembered of the workspace.

ID is a conversation's id, the first column of contexture chats list, or "latest". Its beginning is enough where no other
begins the same, and the source before the slash may be left out: 5f0c for claude-code/5f0c2a91-….`,
	}
	return f.group(c, newChatsList(f), f.completesID(newChatsShow(f), chatIDs), f.completesID(newChatsArc(f), chatIDs), newChatsSearch(f))
}

func newChatsList(f *flags) *cobra.Command {
	var limit int
	chats := report[command.ListResult]{"contexture.conversation.list", limited[command.ListArgs](&limit), printChats}
	c := chats.command(f, &cobra.Command{
		Use:     "list",
		Short:   "List conversations, the latest first",
		Example: "  contexture chats list -n 5",
	})
	c.Flags().IntVarP(&limit, "limit", "n", 20, "conversations at most, 1 to 1000")
	return c
}

// printChats lists conversations: id, turns, the date of the last message, title.
func printChats(e *environment, list *command.ListResult) error {
	if len(list.Conversations) == 0 {
		e.hint("no conversation is remembered of this workspace yet; contexture memory import imports some")
		return nil
	}
	rows := make([][]string, len(list.Conversations))
	for i, talk := range list.Conversations {
		rows[i] = []string{oneLine(talk.ID, 0), dateOf(talk.LastAt.Time), counted(talk.TurnCount, "turn"), oneLine(talk.Title, 80)}
	}
	if err := e.show(e.table("", rows, 2)); err != nil {
		return err
	}
	if list.Next != "" {
		e.hint("there are more; --limit %d lists them", min(1000, 10*len(list.Conversations)))
	}
	e.see("contexture chats show ID for one of them, contexture chats arc ID for what was decided in it")
	return nil
}

// dateOf formats a day, or returns a dash for the zero time.
func dateOf(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// dayOf formats the day of a quotation, or returns a dash if it is not known.
func dayOf(at *command.Time) string {
	if at == nil {
		return "-"
	}
	return dateOf(at.Time)
}

// latest is what a person calls the conversation that was continued last.
const latest = "latest"

// findChat returns the conversation with an id, or the only one whose id begins with it, or the
// latest.
func (w *workspace) findChat(ctx context.Context, id string) (request.Chat, error) {
	found, err := asked[request.ChatFindResult](ctx, w.client, request.ChatFind, &request.ChatFindParams{ID: id})
	switch {
	case err != nil:
		return request.Chat{}, stopped(err)
	case len(found.Chats) == 1:
		return found.Chats[0], nil
	case len(found.Chats) == 0 && id == latest:
		list, err := call[command.ListResult](ctx, w.client, "contexture.conversation.list", map[string]any{"limit": 1})
		if err != nil || len(list.Conversations) == 0 {
			return request.Chat{}, cmp.Or(stopped(err), errors.New("no conversation is remembered of this workspace yet"))
		}
		return w.findChat(ctx, list.Conversations[0].ID)
	case len(found.Chats) == 0:
		return request.Chat{}, fmt.Errorf("conversation %q does not exist; contexture chats list lists those that do", id)
	}
	names := make([]string, len(found.Chats))
	for i, talk := range found.Chats {
		names[i] = talk.ID
	}
	return request.Chat{}, ambiguous(id, "conversation", names)
}

// ambiguous returns the error for an id that is the prefix of several ids.
func ambiguous(id, what string, names []string) error {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Errorf("%q is the beginning of %s: %s; give more of the id", id, counted(len(names), what), text)
}

// withChat calls do with the conversation that the person named.
func withChat(c *cobra.Command, f *flags, id string, do func(w *workspace, chat request.Chat) error) error {
	return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
		chat, err := w.findChat(c.Context(), id)
		if err != nil {
			return err
		}
		return do(w, chat)
	})
}

// shownChat is the JSON of `contexture chats show`.
type shownChat struct {
	ID    string         `json:"id"`
	Title string         `json:"title"`
	Turns []request.Turn `json:"turns"`
}

func newChatsShow(f *flags) *cobra.Command {
	var turn string
	var last int
	var asJSON bool
	c := &cobra.Command{
		Use:   "show [flags] ID",
		Short: "Print a conversation",
		Example: `  contexture chats show 2026-10-31-login
  contexture chats show 2026-10-31-login --turn T-4`,
		Args: exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			number := 0
			if c.Flags().Changed("turn") {
				var err error
				if number, err = dialogue.ParseTurn(turn); err != nil {
					return usage("--turn: %v", err)
				}
			}
			if last < 1 {
				return usage("--limit %d is not above 0", last)
			}
			return withChat(c, f, args[0], func(w *workspace, chat request.Chat) error {
				shown, err := w.turnsOf(c.Context(), chat, number, last)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(f.env.stdout, shown)
				}
				return printChat(f.env, chat, shown)
			})
		},
	}
	o := c.Flags()
	o.StringVar(&turn, "turn", "", "only this turn, such as T-4")
	o.IntVarP(&last, "limit", "n", math.MaxInt, "only so many turns, the latest (default: all)")
	o.Lookup("limit").DefValue = "0" // all
	o.BoolVarP(&asJSON, "json", "j", false, "print the turns and their messages as JSON")
	return c
}

// turnsOf reads the turn of a number, or the last turns if number is 0.
func (w *workspace) turnsOf(ctx context.Context, chat request.Chat, number, last int) (shownChat, error) {
	out := shownChat{ID: chat.ID, Title: chat.Title, Turns: []request.Turn{}}
	from, to := max(1, chat.Turns-min(last, chat.Turns)+1), chat.Turns
	if number > 0 {
		if number > chat.Turns {
			return out, fmt.Errorf("conversation %q has %s, and no %s", chat.ID, counted(chat.Turns, "turn"), dialogue.TurnID(number))
		}
		from, to = number, number
	}
	for from <= to {
		part, err := asked[request.ChatReadResult](ctx, w.client, request.ChatRead, &request.ChatReadParams{ID: chat.ID, From: from, To: to})
		if err != nil {
			return out, stopped(err)
		}
		out.Turns = append(out.Turns, part.Turns...)
		from += max(1, len(part.Turns))
	}
	return out, nil
}

// printChat writes a conversation for a person.
func printChat(e *environment, info request.Chat, shown shownChat) error {
	p := e.outPalette()
	var b strings.Builder
	printChatHead(&b, p, info)
	for _, turn := range shown.Turns {
		at := ""
		if len(turn.Messages) > 0 && !turn.Messages[0].At.IsZero() {
			at = "  " + turn.Messages[0].At.UTC().Format("2006-01-02 15:04 MST")
		}
		fmt.Fprintf(&b, "\n%s%s\n", p.bold(turn.TurnID), p.faint(at))
		for _, m := range turn.Messages {
			printMessage(&b, p, m)
		}
		if err := e.show(b.String()); err != nil {
			return err
		}
		b.Reset()
	}
	return e.show(b.String())
}

// printChatHead writes the title, the id, the length and the days of a conversation.
func printChatHead(b *strings.Builder, p palette, info request.Chat) {
	fmt.Fprintf(b, "%s\n%s\n", p.bold(oneLine(info.Title, 0)), p.faint(fmt.Sprintf("%s: %s, %s", oneLine(info.ID, 0), counted(info.Turns, "turn"), span(info.StartedAt, info.LastAt))))
}

// span formats the first and the last day of a conversation.
func span(from, to time.Time) string {
	if dateOf(from) == dateOf(to) {
		return dateOf(from)
	}
	return dateOf(from) + " to " + dateOf(to)
}

func printMessage(b *strings.Builder, p palette, m dialogue.Message) {
	who := string(m.Role)
	switch {
	case m.Author != "":
		who = oneLine(m.Author, 80)
	case m.Role == dialogue.User:
		who = "you"
	}
	fmt.Fprintf(b, "  %s\n", p.path(who))
	if text := strings.TrimSpace(m.Content); text != "" {
		b.WriteString(indented("    ", text))
	}
	for _, t := range m.ToolCalls {
		outcome := ""
		if t.IsError {
			outcome = ", which failed"
		}
		fmt.Fprintf(b, "    %s\n", p.faint("called "+oneLine(t.Name, 80)+" "+oneLine(compact(t.Arguments), 160)+outcome))
	}
}

// compact returns JSON on one line.
func compact(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

func newChatsArc(f *flags) *cobra.Command {
	var style string
	var asJSON bool
	c := &cobra.Command{
		Use:     "arc [flags] ID",
		Short:   "Print what was decided in a conversation, what is open, and what it is about now",
		Example: "  contexture chats arc 2026-10-31-login",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			in := map[string]any{"conversationId": "checked", "style": style}
			if err := check(in, &command.ArcArgs{}, map[string]string{"style": "--style"}); err != nil {
				return err
			}
			return withChat(c, f, args[0], func(w *workspace, info request.Chat) error {
				in["conversationId"] = info.ID
				arc, err := call[command.ArcResult](c.Context(), w.client, "contexture.conversation.arc", in)
				if err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, arc)
				}
				return printArc(f.env, info, arc)
			})
		},
	}
	c.Flags().StringVar(&style, "style", "rich", "how much to print, a `STYLE`: light, rich or dense")
	completes(c, "style", "light", "rich", "dense")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.conversation.arc")
	return c
}

// printArc writes an arc for a person. Each line is preceded by the turn from which it comes.
func printArc(e *environment, info request.Chat, arc *command.ArcResult) error {
	p := e.outPalette()
	var b strings.Builder
	printChatHead(&b, p, info)
	if text := strings.TrimSpace(arc.CurrentFocus); text != "" {
		fmt.Fprintf(&b, "\n%s\n  %s\n", p.bold("currently about"), oneLine(text, 0))
	}
	if len(arc.Decisions) > 0 {
		fmt.Fprintf(&b, "\n%s\n", p.bold("decided"))
	}
	for _, d := range arc.Decisions {
		rows := [][]string{{fmt.Sprintf("%-4s", d.TurnID), oneLine(d.Text, 0)}}
		for _, r := range d.Rejected {
			rows = append(rows, []string{"", p.faint("rejected: " + oneLine(r, 0))})
		}
		b.WriteString(e.table("  ", rows))
	}
	if len(arc.OpenQuestions) > 0 {
		fmt.Fprintf(&b, "\n%s\n", p.bold("open questions"))
	}
	for _, q := range arc.OpenQuestions {
		b.WriteString(e.table("  ", [][]string{{fmt.Sprintf("%-4s", q.TurnID), oneLine(q.Text, 0)}}))
	}
	if len(arc.Decisions)+len(arc.OpenQuestions) == 0 {
		fmt.Fprintf(&b, "\nnothing was decided in it, and no question is open\n")
	}
	if err := e.show(b.String()); err != nil {
		return err
	}
	e.see("contexture chats show %s --turn T-n for a turn", shellWord(info.ID))
	return nil
}

func newChatsSearch(f *flags) *cobra.Command {
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use:     "search [flags] QUERY…",
		Short:   "Find the turns of conversations that a query is about, best first; exits 1 when there is none",
		Example: "  contexture chats search connection pool size",
		Args:    someWords("connection pool size"),
		RunE: func(c *cobra.Command, words []string) error {
			args := map[string]any{"query": strings.Join(words, " "), "limit": limit, "kinds": []string{"message"}}
			if err := check(args, &command.SearchArgs{}, searchNames); err != nil {
				return err
			}
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				found, err := call[command.SearchResult](c.Context(), w.client, "contexture.search", args)
				if err != nil {
					return stopped(refusal(err, searchNames))
				}
				return w.foundTurns(found, asJSON)
			})
		},
	}
	c.Flags().IntVarP(&limit, "limit", "n", 10, "turns at most, 1 to 200")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.search")
	return c
}

// foundTurns prints the result of a search in conversations.
func (w *workspace) foundTurns(found *command.SearchResult, asJSON bool) error {
	if asJSON {
		return orNothing(printJSON(w.env.stdout, foundIn(w, found).script()), len(found.Hits))
	}
	w.env.hintDegraded(found.Degraded)
	if len(found.Hits) == 0 {
		w.env.hint("nothing in the remembered conversations matches")
		return errNothing
	}
	p := w.env.outPalette()
	text := listed(found.Hits, func(b *strings.Builder, h command.Hit) {
		b.WriteString(hang(p.path(oneLine(h.ConversationID, 0)+" "+h.TurnID)+"  "+p.bold(oneLine(h.Title, 100)), w.env.widthOf(w.env.out)) + "\n")
		b.WriteString(indented("    ", strings.TrimSpace(h.Snippet)))
	})
	if err := w.env.show(text); err != nil {
		return err
	}
	w.env.see("contexture chats show ID --turn T-n for a whole turn")
	return nil
}
