package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/window"
)

// minRun is the smallest number of messages for which a model writes a summary: such runs are
// asked for again as the conversation grows, smaller gaps are not.
const minRun = 20

// maxWishes bounds the summaries that wait for a model, per workspace. The latest requests are
// kept.
const maxWishes = 64

// wish is a summary by rules that a window showed and a model may replace.
type wish struct {
	key   summaryKey
	count func(string) int // in the key's encoding
}

// of returns the name under which the summary is stored.
func (k summaryKey) of() conversation.SummaryOf {
	return conversation.SummaryOf{From: k.from, To: k.to, Tokens: k.tokens, Level: k.level, Encoding: k.encoding}
}

// byModel returns a model's summary of a run of messages, "" when there is none; wanted reports
// whether to request one.
func (c *compactor) byModel(key summaryKey) (text string, wanted bool, err error) {
	if key.to-key.from+1 < minRun || key.level == window.LevelRecent {
		return "", false, nil
	}
	text, known, err := conversation.LoadSummary(c.view.state, key.number, key.of())
	return text, err == nil && !known && c.view.w.memory.opts.model(c.view.w.root) != nil, err
}

// wishes are the summaries of a workspace that wait for a model.
type wishes struct {
	mu   sync.Mutex // acquired after that of the workspace
	list []wish
}

// wish requests a summary in the background.
func (w *Workspace) wish(of wish) {
	if w.wishes.add(of) {
		w.memory.scribe.poke(w)
	}
}

// add adds a request, and reports whether it is new.
func (l *wishes) add(of wish) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.list, func(other wish) bool { return other.key == of.key }) {
		return false
	}
	if len(l.list) == maxWishes {
		l.list = slices.Clone(l.list[1:])
	}
	l.list = append(l.list, of)
	return true
}

// latest returns the latest request among those with the fewest failures.
func (l *wishes) latest(s *writing) (of wish, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.list) - 1; i >= 0; i-- {
		if !ok || s.failed[l.list[i].key].times < s.failed[of.key].times {
			of, ok = l.list[i], true
		}
	}
	return of, ok
}

// remove removes a request.
func (l *wishes) remove(key summaryKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(other wish) bool { return other.key == key })
}

// fulfilled removes a request from the list.
func (d *drafter) fulfilled(key summaryKey) {
	d.wishes.remove(key)
	delete(d.writing.failed, key)
}

// writeSummary has the model summarise one run of messages.
func (d *drafter) writeSummary(ctx context.Context) (did bool, err error) {
	of, ok := d.wishes.latest(&d.writing)
	if !ok {
		return false, nil
	}
	removals := d.removals.Load()
	kept := d.memory.cache.current.Load()
	task, ok, err := d.runTask(of)
	if err != nil || !ok {
		d.fulfilled(of.key)
		if err == nil { // a view from before the model's summary has cached its own
			kept.summaries.Remove(of.key)
		}
		return err == nil, err
	}
	answer, ok, err := d.ask(ctx, of.key, task.Request)
	if err != nil {
		return false, err
	}
	text := ""
	if ok {
		var bad error
		text, bad = task.Read(answer)
		d.memory.refused("run of messages", bad)
		d.memory.judged(btoi(bad != nil), bad == nil)
	}
	d.fulfilled(of.key)
	err = d.keep(removals, func(tx store.Tx) error {
		conversation.PutSummary(tx, of.key.number, of.key.of(), text)
		return nil
	})
	if errors.Is(err, errGone) {
		return true, nil
	}
	if err == nil && text != "" {
		kept.summaries.Remove(of.key) // made again, with the ledger, when it is requested
	}
	return true, err
}

// runTask returns the question about a run of messages; ok is false when there is nothing to ask,
// or the answer is known.
func (d *drafter) runTask(of wish) (task rewrite.RunTask, ok bool, err error) {
	v := d.View()
	defer v.Close()
	info, err := conversation.ByNumber(v.state, of.key.number)
	if errors.Is(err, conversation.ErrNotFound) || err == nil && of.key.to >= info.Messages {
		return task, false, nil
	}
	if err != nil {
		return task, false, err
	}
	if _, known, err := conversation.LoadSummary(v.state, of.key.number, of.key.of()); err != nil || known {
		return task, false, err
	}
	weights, err := v.weights(info, of.key.encoding, of.count)
	if err != nil {
		return task, false, err
	}
	c := &compactor{view: v, info: info, weights: weights, encoding: of.key.encoding, count: of.count}
	ledger, err := c.ledger(of.key.from, of.key.to, of.key.tokens)
	if err != nil {
		return task, false, err
	}
	have, err := c.byRules(of.key.from, of.key.to, of.key.tokens-c.roomOf(ledger))
	if err != nil {
		return task, false, err
	}
	source, err := c.byRules(of.key.from, of.key.to, max(rewrite.SourceTokens, 2*of.key.tokens))
	if err != nil {
		return task, false, err
	}
	task, ok = rewrite.Run(source, have, d.memory.rewriting(d.writer, of.count))
	return task, ok, nil
}

// byRules returns a summary of the messages from … to, inclusive, in at most tokens.
func (c *compactor) byRules(from, to, tokens int) (string, error) {
	run := make([]level.Weight, to+1-from)
	for i := range run {
		run[i] = c.weights[from+i].Weight
	}
	read := func(picked []int) ([]dialogue.Message, error) {
		for i := range picked {
			picked[i] += from
		}
		return conversation.MessagesAt(c.view.state, c.info, picked)
	}
	text, err := level.Compact(run, read, tokens, level.Options{Count: c.count})
	if err != nil {
		return "", fmt.Errorf("read messages: %w", err)
	}
	return text, nil
}
