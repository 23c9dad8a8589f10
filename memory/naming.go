package memory

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
)

// maxNamed bounds the topics that a model is shown after an offline run, maxStatements the
// statements of each, and maxStatementBytes the bytes of each statement.
const maxNamed, maxStatements, maxStatementBytes = 20, 6, 400

// nameTopics asks the model for labels of topics, the heaviest first. It asks about the same
// content once, and never about topics that a person has renamed. During an offline run it asks
// nothing, because applying the answer would restart the run.
func (m *Memory) nameTopics(ctx context.Context, w *Workspace, writer Writer) (did bool, err error) {
	if len(w.processing) > 0 {
		return false, nil
	}
	left := w.unnamed.Swap(0)
	if left <= 0 {
		return false, nil
	}
	again := left // how many the next questions may have; a run that ended meanwhile has set its own number
	defer func() { w.unnamed.CompareAndSwap(0, again) }()
	removals := w.removals.Load()
	list, shown, err := w.unnamedTopics(writer, int(left))
	if err != nil {
		return false, err
	}
	if len(list) == 0 {
		again = 0
		return false, nil
	}
	o := m.rewriting(writer, m.opts.Count)
	task, ok := rewrite.Title(shown, o)
	for !ok && len(shown) > 1 {
		shown = shown[:len(shown)/2]
		task, ok = rewrite.Title(shown, o)
	}
	list = list[:len(shown)]
	if ok {
		answer, answered, err := w.ask(ctx, writer, list[0].Asked, task.Request)
		if err != nil {
			return false, err
		}
		if answered {
			labels, refused, bad := task.Read(answer)
			m.refused("topics", bad)
			taken := false
			for i, label := range labels {
				list[i].Label = label
				taken = taken || label != ""
			}
			m.judged(refused+btoi(bad != nil), taken)
		}
	}
	again = left - int32(len(list))
	err = w.keep(removals, func(tx store.Tx) error {
		return knowledge.Entitle(tx, list)
	})
	if errors.Is(err, errGone) {
		err = nil
	}
	return true, err
}

// unnamedTopics returns topics whose current content the model was not asked about, as many as fit
// into one question, and the text that it is shown of them.
func (w *Workspace) unnamedTopics(writer Writer, most int) (list []knowledge.Titled, shown []rewrite.Untitled, err error) {
	all, err := knowledge.LoadProfiles(w.latest())
	if err != nil {
		return nil, nil, err
	}
	for i := range all.Topics {
		s := &all.Topics[i].Subject
		if s.Renamed || len(s.Statements) == 0 || len(list) >= min(most, rewrite.MostTitled) {
			continue
		}
		content := s.Content()
		asked := askedOf(contentOf(content), writer.Identity())
		t := knowledge.Titled{ID: s.ID, Content: content, Asked: hex.EncodeToString(asked[:])}
		if s.Title != nil && s.Title.Asked == t.Asked {
			continue
		}
		list = append(list, t)
		shown = append(shown, rewrite.Untitled{Label: s.FoundLabel(), Names: s.FoundNames(), Quotations: quotations(s)})
	}
	return list, shown, nil
}

// quotations returns statements about a subject as a model is shown them.
func quotations(s *profile.Subject) (out []string) {
	for i := range s.Statements[:min(maxStatements, len(s.Statements))] {
		text := s.Statements[i].Text
		out = append(out, strings.ToValidUTF8(text[:min(len(text), maxStatementBytes)], ""))
	}
	return out
}
