package server

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/command"
)

// maxRuleChars bounds a rule: a longer one would leave the others no room in a bundle.
const maxRuleChars = 2000

// Remember implements command.Commands.
func (c commands) Remember(ctx context.Context, args *command.RememberArgs) (*command.RememberResult, error) {
	it, ok := knowledge.Worded(args.Kind, args.Text)
	switch n := utf8.RuneCountInString(it.Content); {
	case !ok:
		return nil, command.InvalidParams("kind", "%q is not rule, decision, lesson or note", args.Kind)
	case strings.TrimSpace(args.Text) == "":
		return nil, command.InvalidParams("text", "holds nothing to remember")
	case it.Kind == knowledge.Rule && n > maxRuleChars:
		return nil, command.InvalidParams("text", "a rule may have %d characters, this one has %d: store it as a note, or as several rules", maxRuleChars, n)
	}
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	it.Topics = args.Topics
	if it, err = w.PutKnowledge(it); err != nil {
		return nil, memoryError(err)
	}
	out := &command.RememberResult{Item: knowledgeItem(it)}
	if it.Kind != knowledge.Rule {
		return out, nil
	}
	v := w.View()
	defer v.Close()
	rules, err := v.Knowledge(knowledge.Filter{Kind: knowledge.Rule, Superseded: true})
	if err != nil {
		return nil, memoryError(err)
	}
	for _, old := range rules {
		if old.SupersededBy == it.ID {
			out.Replaced = append(out.Replaced, knowledgeItem(old))
		}
	}
	return out, nil
}
