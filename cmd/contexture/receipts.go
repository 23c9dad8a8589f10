package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// receiptsNames maps the fields of command.ReceiptsArgs that the command line can set to its
// arguments.
var receiptsNames = map[string]string{"conversationId": "SESSION", "limit": "--limit", "days": "--days", "reset": "--reset"}

func newReceipts(f *flags) *cobra.Command {
	var limit, days int
	var asJSON, reset, texts bool
	c := &cobra.Command{
		Use:   "receipts [flags] [SESSION]",
		Short: "Show what hooks gave to assistants, what it cost, and what came of it",
		Long: `Show what hooks gave to the conversations of the last thirty days, and what came of it: how many of the files that
were named the assistant then opened, how many other names of code it took up that the person had not written, and how many of its searches
told nothing beyond what was given. SESSION shows the prompts of one conversation, with the files that were named: its id, the
beginning of that, or "latest"; --text also what was given in the last day, word by word.

Tokens are a quarter of the bytes, on both sides. What came of it is read from the log of the conversation: without capture only what was
given is known. Net is what needless searches returned less what was given, and may be negative.

Where, after fifty prompts with which places were named, their needless searches surely returned less than the names took, places are named
only where that surely pays, and if it does not, after fifty more, not at all. --reset begins again.`,
		Example: `  contexture receipts
  contexture receipts --days 7
  contexture receipts latest
  contexture receipts --text -n 1 latest`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, words []string) error {
			if texts && len(words) == 0 {
				return usage("--text needs SESSION, such as latest")
			}
			args := map[string]any{"limit": limit, "days": days, "reset": reset}
			if err := check(args, &command.ReceiptsArgs{}, receiptsNames); err != nil {
				return err
			}
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				var unknown error
				if len(words) > 0 {
					args["conversationId"] = words[0]
					var id string
					if id, unknown = w.givenTo(c.Context(), words[0]); unknown == nil {
						args["conversationId"] = id
					}
				}
				found, err := call[command.ReceiptsResult](c.Context(), w.client, "contexture.receipts", args)
				switch {
				case err != nil && unknown != nil: // neither in memory nor given anything
					return unknown
				case err != nil:
					return stopped(refusal(err, receiptsNames))
				case asJSON:
					return printJSON(f.env.stdout, found)
				}
				if reset {
					f.env.hint("places are named again as in a new workspace")
				}
				if texts && found.Total.Prompts > 0 {
					return printGiven(f.env, found.Prompts)
				}
				return printReceipts(f.env, found, len(words) > 0)
			})
		},
	}
	c.Flags().IntVarP(&limit, "limit", "n", 20, "conversations at most, or prompts of SESSION, 1 to 200")
	c.Flags().IntVar(&days, "days", 30, "only what was given in the last `days`, 1 to 30")
	c.Flags().BoolVar(&reset, "reset", false, "name places again as in a new workspace")
	c.Flags().BoolVarP(&texts, "text", "t", false, "print what was given for the prompts of SESSION in the last day")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.receipts")
	return c
}

// givenTo returns the conversation that a person named: latest is the one that was given something
// last, which need not be in memory.
func (w *workspace) givenTo(ctx context.Context, id string) (string, error) {
	if id == latest {
		last, err := call[command.ReceiptsResult](ctx, w.client, "contexture.receipts", map[string]any{"limit": 1})
		if err == nil && len(last.Conversations) > 0 {
			return last.Conversations[0].ConversationID, nil
		}
	}
	return w.chatNamed(ctx, id)
}

// lessened are the texts for the levels of the trial of the names of places.
var lessened = [...]string{"", "places are named only where they surely pay", "places are not named"}

// printReceipts writes the sums and then a line for each conversation, or for each prompt of one.
func printReceipts(e *environment, r *command.ReceiptsResult, one bool) error {
	if r.Total.Prompts == 0 {
		e.hint("hooks gave nothing to a conversation of this workspace in this time; contexture install enters them")
		return nil
	}
	var out strings.Builder
	out.WriteString(receiptSum(r.Total) + "\n")
	for _, m := range r.Moments {
		fmt.Fprintf(&out, "%s: %s tokens, %s, %d ms each\n", m.Moment, count(m.Given), counted(m.Times, "time"), m.Milliseconds/int64(m.Times))
	}
	if t := r.Places; t.Level > 0 {
		fmt.Fprintf(&out, "%s: they did not pay; contexture receipts --reset begins again\n", lessened[min(t.Level, len(lessened)-1)])
	}
	if r.Unseen > 0 {
		fmt.Fprintf(&out, "%s not captured: only what they were given is known\n", counted(r.Unseen, "conversation"))
	}
	rows := [][]string{}
	row := func(c command.Receipt, name, when, text string) {
		rows = append(rows, []string{
			name, when, count(c.Given), fmt.Sprintf("%d of %d opened", c.Opened, c.Named),
			fmt.Sprintf("%d of %d needless", c.Needless, c.Looks), signed(c.Spared - c.Given), oneLine(text, 60),
		})
	}
	for _, c := range r.Conversations {
		if !one {
			row(c.Receipt, oneLine(c.ConversationID, 0), dateOf(c.At.Time), c.Title)
		}
	}
	for _, p := range r.Prompts {
		row(p.Receipt, p.TurnID, dateOf(p.At.Time), p.Prompt)
		if len(p.Names) > 0 {
			rows[len(rows)-1][6] += " → " + oneLine(strings.Join(p.Names, ", "), 160)
		}
	}
	out.WriteString(e.table("", rows, 2, 5))
	if err := e.show(out.String()); err != nil {
		return err
	}
	if !one {
		e.see("contexture receipts SESSION for the prompts of one of them")
		return nil
	}
	e.see("contexture receipts --text SESSION for what was given word by word")
	return nil
}

// printGiven writes what prompts were given, the latest last.
func printGiven(e *environment, prompts []command.PromptReceipt) error {
	p := e.outPalette()
	var b strings.Builder
	for _, one := range slices.Backward(prompts) {
		name := strings.TrimSpace(one.TurnID + "  " + oneLine(one.Prompt, 0))
		b.WriteString(p.bold(cmp.Or(name, "a prompt that is not in memory")) + "\n")
		for _, d := range one.Deliveries {
			fmt.Fprintf(&b, "  %s\n", p.faint(fmt.Sprintf("%s  %s, %s", d.At.UTC().Format("2006-01-02 15:04 MST"), d.Moment, counted(d.Given, "token"))))
			text := strings.TrimRight(d.Text, "\n")
			if text == "" {
				text = "not kept: it is older than a day, or something was forgotten since"
			}
			b.WriteString(indented("    ", text) + "\n")
		}
	}
	if err := e.show(b.String()); err != nil {
		return err
	}
	e.see("contexture bundle --explain PROMPT for why places are named")
	return nil
}

// receiptSum returns a receipt in a sentence.
func receiptSum(r command.Receipt) string {
	return fmt.Sprintf("given %s tokens with %s; %d of %d files named were opened, %d of %d other names taken up; %d of %d look-ups were needless, %s tokens; net %s",
		count(r.Given), counted(r.Prompts, "prompt"), r.Opened, r.Named, r.Taken, r.Words, r.Needless, r.Looks, count(r.Spared), signed(r.Spared-r.Given))
}

// signed returns a number with its sign.
func signed(n int) string {
	switch {
	case n > 0:
		return "+" + count(n)
	case n < 0:
		return "−" + count(-n)
	}
	return "0"
}
