package remember

import (
	"context"
	"strings"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Rules implements bundle.Past: all that hold, as one list under a heading of their own.
func (p *Past) Rules() ([]bundle.Memo, error) {
	rules, err := p.view.Knowledge(knowledge.Filter{Kind: knowledge.Rule})
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	m := bundle.Memo{
		ID: "rules", Kind: "rule", Title: "Standing rules", Format: "full", Score: 1, Reason: "rules that were stated and hold",
	}
	var lines []string
	for _, it := range rules {
		lines = append(lines, "- "+strings.Join(strings.Fields(it.Content), " "))
		m.MessageIDs = append(m.MessageIDs, it.MessageIDs...)
	}
	m.Body = strings.Join(lines, "\n")
	return []bundle.Memo{m}, nil
}

// Knowledge implements bundle.Past.
func (p *Past) Knowledge(_ context.Context, s intent.Signals) ([]bundle.Memo, error) {
	return nil, nil
}

// Reminders implements bundle.Past.
func (p *Past) Reminders(ctx context.Context, s intent.Signals, inView int) ([]bundle.Memo, error) {
	return nil, nil
}
