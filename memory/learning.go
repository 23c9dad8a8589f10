package memory

import (
	"context"
	"errors"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
)

// wishLabels has a model judge the candidates that it has not seen.
func (w *Workspace) wishLabels() {
	if w.memory.opts.Writer == nil {
		return
	}
	w.unlabelled.Store(true)
	w.memory.scribe.poke(w)
}

// labelCandidates asks the model which of some candidates are standing instructions, and confirms
// those. Each candidate is asked about once.
func (d *drafter) labelCandidates(ctx context.Context) (did bool, err error) {
	if !d.unlabelled.Load() {
		return false, nil
	}
	removals := d.removals.Load()
	list, err := d.unjudged()
	if err != nil {
		return false, err
	}
	if len(list) == 0 {
		d.unlabelled.Store(false)
		return false, nil
	}
	shown := make([]rewrite.Candidate, len(list))
	for i, it := range list {
		shown[i] = rewrite.Candidate{Text: it.Content, Around: d.around(&it)}
	}
	var confirmed []int
	task, ok := rewrite.Label(shown, d.memory.rewriting(d.writer, d.memory.opts.Count))
	if ok {
		answer, answered, err := d.ask(ctx, list[0].ID, task.Request)
		if err != nil {
			return false, err
		}
		if answered {
			var refused int
			var bad error
			confirmed, refused, bad = task.Read(answer)
			d.memory.refused("candidates", bad)
			d.memory.judged(refused+btoi(bad != nil), bad == nil)
		}
	}
	err = d.keep(removals, func(tx store.Tx) error {
		return knowledge.Judge(tx, list, confirmed)
	})
	if errors.Is(err, errGone) {
		err = nil
	}
	return true, err
}

// unjudged returns candidates that no model has seen, as many as fit into one question.
func (d *drafter) unjudged() ([]knowledge.Item, error) {
	all, err := knowledge.List(d.latest(), knowledge.Filter{Kind: knowledge.Rule})
	if err != nil {
		return nil, err
	}
	var out []knowledge.Item
	for _, it := range all {
		if it.Standing() == knowledge.Candidate && !it.Judged && len(out) < rewrite.MostLabelled {
			out = append(out, it)
		}
	}
	return out, nil
}

// maxAround bounds the bytes of text around a candidate that a model is shown.
const maxAround = 800

// around returns the beginning of the message that contains a candidate; "" when that was removed.
func (d *drafter) around(it *knowledge.Item) string {
	latest := d.latest()
	info, err := conversation.Find(latest, it.Conversation)
	if err != nil {
		return ""
	}
	turn, err := conversation.Turn(latest, info, it.Turn)
	if err != nil {
		return ""
	}
	for _, m := range turn.Messages {
		if m.ByPerson() {
			return strings.ToValidUTF8(m.Content[:min(len(m.Content), maxAround)], "")
		}
	}
	return ""
}
