package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// State of a rule after the daemon died while it was being changed.
const (
	perhapsStored  rest = "it may have been stored or not; running the command again is safe"
	perhapsRemoved rest = "it may have been removed or not; contexture rules list shows"
)

func newRules(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List, add, change and explain the standing rules of the workspace",
		Long: `The standing rules of the workspace: what you want of an assistant every time.

An active rule is in every bundle. It was stored or accepted by you, said outright for the future, or said in two
conversations. A candidate is a sentence of a conversation that may be a rule; it is shown, as a quotation, where it
concerns the prompt. A rule is replaced by a later one about the same thing.

ID is a rule's id as contexture rules list writes it; the beginning of one is enough where no other
begins the same.`,
	}
	f.group(c, newRulesList(f), f.completesID(newRulesWhy(f), ruleIDs(confirmed, candidate, superseded)))
	f.add(c, newRulesAdd(f), perhapsStored)
	f.add(c, f.completesID(newRulesEdit(f), ruleIDs(confirmed, candidate)), perhapsStored)
	f.add(c, f.completesID(newRulesAccept(f), ruleIDs(candidate)), perhapsStored)
	f.add(c, f.completesID(newRulesRemove(f), ruleIDs(confirmed, candidate, superseded)), perhapsRemoved)
	return c
}

// States of knowledge that commands distinguish.
const (
	confirmed  = "confirmed"
	candidate  = "candidate"
	superseded = "superseded"
)

// stateNames are the display names of the states of knowledge.
var stateNames = map[string]string{confirmed: "active", candidate: "candidate", superseded: "replaced"}

func newRulesList(f *flags) *cobra.Command {
	var all bool
	rules := report[command.KnowledgeListResult]{"contexture.knowledge.list", func() (map[string]any, error) {
		return map[string]any{"kind": "rule", "superseded": all}, nil
	}, func(e *environment, list *command.KnowledgeListResult) error { return printRules(e, list.Items) }}
	c := rules.command(f, &cobra.Command{
		Use:     "list",
		Short:   "List rules: id, state, text",
		Example: "  contexture rules list --all",
	})
	c.Flags().BoolVar(&all, "all", false, "list rules too that a later one has replaced")
	return c
}

// printRules lists rules, active ones first.
func printRules(e *environment, items []command.KnowledgeItem) error {
	if len(items) == 0 {
		e.hint("this workspace has no rules yet; contexture rules add TEXT stores one")
		return nil
	}
	order := []string{confirmed, candidate, superseded}
	slices.SortStableFunc(items, func(a, b command.KnowledgeItem) int {
		return slices.Index(order, a.State) - slices.Index(order, b.State)
	})
	rows := make([][]string, len(items))
	candidates := 0
	for i, it := range items {
		if it.State == candidate {
			candidates++
		}
		rows[i] = []string{oneLine(it.ID, 0), stateNames[it.State], oneLine(byWhom(&it)+wordsOf(it.Content), 160)}
	}
	if err := e.show(e.table("", rows)); err != nil {
		return err
	}
	if candidates > 0 {
		e.see("contexture rules why ID for where one comes from; contexture rules accept ID makes a candidate active, contexture rules remove ID drops it")
		return nil
	}
	e.see("contexture rules why ID for where one comes from; contexture rules edit ID TEXT changes it, contexture rules remove ID drops it")
	return nil
}

// byWhom returns the teammate who wrote a rule, for the beginning of a line; "" for one's own.
func byWhom(it *command.KnowledgeItem) string {
	if it.SharedBy == nil || it.SharedBy.Own {
		return ""
	}
	return it.SharedBy.Name + ": "
}

// rulesOf returns all rules, including those that a later rule has replaced.
func rulesOf(ctx context.Context, w *workspace) ([]command.KnowledgeItem, error) {
	list, err := call[command.KnowledgeListResult](ctx, w.client, "contexture.knowledge.list", map[string]any{"kind": "rule", "superseded": true})
	if err != nil {
		return nil, stopped(err)
	}
	return list.Items, nil
}

// ruleNamed returns the rule with an id, or the only one whose id begins with it, or else that has
// these words.
func ruleNamed(rules []command.KnowledgeItem, id string) (it command.KnowledgeItem, err error) {
	var names []string
	for _, rule := range rules {
		switch {
		case rule.ID == id:
			return rule, nil
		case id != "" && strings.HasPrefix(rule.ID, id):
			it, names = rule, append(names, rule.ID)
		}
	}
	if len(names) == 0 && strings.Contains(id, " ") {
		for _, rule := range rules {
			if strings.Contains(strings.ToLower(wordsOf(rule.Content)), strings.ToLower(wordsOf(id))) {
				it, names = rule, append(names, rule.ID)
			}
		}
		if len(names) > 1 {
			return it, fmt.Errorf("%q is in %s: %s; give more words or an id", id, counted(len(names), "rule"), strings.Join(names, ", "))
		}
	}
	switch len(names) {
	case 1:
		return it, nil
	case 0:
		return it, fmt.Errorf("rule %q does not exist; contexture rules list --all lists those that do", id)
	}
	return it, ambiguous(id, "rule", names)
}

// wordsOf returns a text on one line.
func wordsOf(text string) string { return strings.Join(strings.Fields(text), " ") }

// withRule calls do with the rule that the person named and with all rules.
func withRule(ctx context.Context, f *flags, id string, do func(w *workspace, it command.KnowledgeItem, all []command.KnowledgeItem) error) error {
	return f.recollect(ctx, memoryAlone, func(w *workspace) error {
		all, err := rulesOf(ctx, w)
		if err != nil {
			return err
		}
		it, err := ruleNamed(all, id)
		if err != nil {
			return err
		}
		return do(w, it, all)
	})
}

// knowledgeNames maps each field of command.KnowledgePutArgs that the command line can set to its
// flag or argument.
var knowledgeNames = map[string]string{"content": "TEXT", "title": "TEXT", "id": "ID", "kind": "KIND"}

// titleOf returns the beginning of a text's first line, for lists.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return oneLine(line, 80)
}

// readText returns the text that a person wants to store: the words, or standard input for "-".
func (e *environment) readText(ctx context.Context, words []string) (string, error) {
	text, err := e.readWords(ctx, "TEXT", words)
	if err != nil {
		return "", stopped(err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", usage("TEXT: is empty")
	}
	return text, nil
}

func newRulesAdd(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "add TEXT…",
		Short: "Store a rule, which is active at once; prints its id",
		Long: `Store a rule in your own words, as contexture remember rule does. It is active at once, and replaces an older rule
about the same thing. TEXT "-" reads standard input. Its id goes to standard output.`,
		Example: `  contexture rules add "run make gen after every change of the contract"`,
		Args:    someWords(`"run make gen after every change of the contract"`),
		RunE: func(c *cobra.Command, words []string) error {
			return remember(c.Context(), f, "rule", words, asJSON)
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.remember")
	return c
}

func newRulesEdit(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "edit ID TEXT…",
		Short: "Change the text of a rule, which makes it active",
		Long: `Change the text of a rule. What you write is active, whatever the rule was before: a candidate that was quoted from a
conversation becomes your own rule. TEXT "-" reads standard input.`,
		Example: `  contexture rules edit rule-3f2a "run make gen before every commit"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage(`%s needs an ID and a TEXT, such as: %[1]s rule-3f2a "run make gen before every commit"`, c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, words []string) error {
			text, err := f.env.readText(c.Context(), words[1:])
			if err != nil {
				return err
			}
			args := map[string]any{"kind": "rule", "title": titleOf(text), "content": text, "topics": []string{}, "keywords": []string{}}
			if err := check(args, &command.KnowledgePutArgs{}, knowledgeNames); err != nil {
				return err
			}
			return withRule(c.Context(), f, words[0], func(w *workspace, it command.KnowledgeItem, _ []command.KnowledgeItem) error {
				args["id"], args["topics"], args["keywords"], args["sourceTurns"] = it.ID, it.Topics, it.Keywords, it.SourceTurns
				if it.Weight > 0 {
					args["weight"] = it.Weight
				}
				done, err := call[command.KnowledgeItemResult](c.Context(), w.client, "contexture.knowledge.put", args)
				if err != nil {
					return stopped(refusal(err, knowledgeNames))
				}
				if asJSON {
					return printJSON(f.env.stdout, done)
				}
				f.env.hint("%s is active: %s", done.Item.ID, wordsOf(done.Item.Content))
				return nil
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.put")
	return c
}

func newRulesAccept(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "accept ID",
		Short: "Make a candidate an active rule",
		Example: `  contexture rules accept rule-3f2a
  contexture rules accept "slow tests only at night"`,
		Args: exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			return withRule(c.Context(), f, args[0], func(w *workspace, it command.KnowledgeItem, _ []command.KnowledgeItem) error {
				if it.State == superseded {
					return fmt.Errorf("rule %s was replaced by %s; contexture rules remove %[2]s brings it back", it.ID, it.SupersededBy)
				}
				if it.State == confirmed {
					f.env.hint("%s is active already", it.ID)
					return nil
				}
				done, err := call[command.KnowledgeItemResult](c.Context(), w.client, "contexture.knowledge.accept", map[string]any{"id": it.ID})
				if err != nil {
					return stopped(err)
				}
				f.env.hint("%s is active: %s", done.Item.ID, wordsOf(done.Item.Content))
				return nil
			})
		},
	}
}

func newRulesRemove(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a rule; the sentence that it quotes does not come back",
		Long: `Remove a rule. The sentence that it quotes does not become a rule again when it is read again, and a rule that it had
replaced is active again. The conversation that it comes from stays. contexture memory forget --knowledge ID wipes the
rule's bytes from the disk too.`,
		Example: "  contexture rules remove rule-3f2a",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			return withRule(c.Context(), f, args[0], func(w *workspace, it command.KnowledgeItem, before []command.KnowledgeItem) error {
				if _, err := call[command.Deleted](c.Context(), w.client, "contexture.knowledge.delete", map[string]any{"id": it.ID}); err != nil {
					return stopped(err)
				}
				f.env.hint("removed %s: %s", it.ID, wordsOf(it.Content))
				after, err := rulesOf(c.Context(), w)
				for _, old := range before {
					if now := ruleOf(after, old.ID); now != nil && old.SupersededBy == it.ID && now.State != superseded {
						f.env.hint("%s is active again: %s", old.ID, wordsOf(old.Content))
					}
				}
				return err
			})
		},
	}
}

func newRulesWhy(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "why ID",
		Short:   "Show where a rule comes from: its state, the words that were said, their turn and date",
		Example: "  contexture rules why rule-3f2a",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			return withRule(c.Context(), f, args[0], func(w *workspace, it command.KnowledgeItem, all []command.KnowledgeItem) error {
				got, err := call[command.KnowledgeItemResult](c.Context(), w.client, "contexture.knowledge.get", map[string]any{"id": it.ID})
				if err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, got)
				}
				return printWhy(f.env, &got.Item, all)
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.get")
	return c
}

// printWhy writes the origin of a rule: its text and state, then every place where it was said.
func printWhy(e *environment, it *command.KnowledgeItem, all []command.KnowledgeItem) error {
	p := e.outPalette()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.bold(oneLine(wordsOf(it.Content), 0)))
	fmt.Fprintf(&b, "  %s: %s\n", stateNames[it.State], oneLine(it.Why, 0))
	if s := it.SharedBy; s != nil {
		proof := "the team vouches for the name"
		if !s.Proven {
			proof = "nothing vouches for the name"
		}
		fmt.Fprintf(&b, "  written by %s, key %s; %s\n", oneLine(s.Name, 80), s.Key, proof)
		for _, id := range s.Rivals {
			fmt.Fprintf(&b, "  another teammate changed the same rule otherwise: %s\n", id)
		}
	}
	if it.Scope != "" {
		fmt.Fprintf(&b, "  it was said about %s\n", oneLine(it.Scope, 0))
	}
	for _, q := range it.Quotations {
		day := ""
		if q.At != nil {
			day = dateOf(q.At.Time) + ", "
		}
		who := ""
		if q.Author != "" {
			who = " by " + oneLine(q.Author, 80)
		}
		fmt.Fprintf(&b, "  said%s %s%s of %s:\n    “%s”\n", who, day, q.TurnID, oneLine(q.ConversationID, 0), strings.ReplaceAll(block(q.Text), "\n", "\n     "))
		fmt.Fprintf(&b, "    %s\n", p.faint("see contexture chats show "+shellWord(q.ConversationID)+" --turn "+q.TurnID))
	}
	if len(it.Quotations) == 0 {
		fmt.Fprintf(&b, "  stored on %s", dateOf(it.CreatedAt.Time))
		if at := dateOf(it.UpdatedAt.Time); at != dateOf(it.CreatedAt.Time) {
			fmt.Fprintf(&b, ", changed on %s", at)
		}
		b.WriteByte('\n')
		for _, source := range it.SourceTurns {
			if id, turn, ok := knowledge.ParseSource(source); ok {
				fmt.Fprintf(&b, "  from %s of %s\n    %s\n", turn, oneLine(id, 0), p.faint("see contexture chats show "+shellWord(id)+" --turn "+turn))
			}
		}
	}
	if by := ruleOf(all, it.SupersededBy); by != nil {
		fmt.Fprintf(&b, "  replaced by %s: %s\n", oneLine(by.ID, 0), oneLine(wordsOf(by.Content), 160))
	}
	for _, old := range replacedBy(all, it.ID) {
		fmt.Fprintf(&b, "  replaces %s: %s\n", oneLine(old.ID, 0), oneLine(wordsOf(old.Content), 160))
	}
	return e.show(b.String())
}

// ruleOf returns the rule with an id; nil if there is none.
func ruleOf(rules []command.KnowledgeItem, id string) *command.KnowledgeItem {
	i := slices.IndexFunc(rules, func(it command.KnowledgeItem) bool { return it.ID == id })
	if i < 0 {
		return nil
	}
	return &rules[i]
}

// replacedBy lists the rules that the rule with an id has replaced.
func replacedBy(all []command.KnowledgeItem, id string) (out []command.KnowledgeItem) {
	for _, it := range all {
		if it.SupersededBy == id {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b command.KnowledgeItem) int { return strings.Compare(a.ID, b.ID) })
	return out
}
