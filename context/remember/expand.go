package remember

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Expand gives the item that an id of an answer names, in its forms from the longest to the shortest. Errors:
// conversation.ErrNotFound, knowledge.ErrNotFound.
func (f *Found) Expand(id string) ([]bundle.Memo, error) {
	if rest, ok := strings.CutPrefix(id, ticklerPrefix); ok {
		id = turnsPrefix + rest
	}
	if talk, from, to, ok := ParseTurnsID(id); ok {
		return f.expandTurns(id, talk, from, to)
	}
	kind, rest, _ := strings.Cut(id, ":")
	switch kind {
	case "arc":
		return f.expandArc(id, rest)
	case "task", "blocker":
		return f.expandTask(id)
	case rulesID:
		return (&Past{view: f.View}).Rules()
	case "knowledge":
		it, err := f.View.KnowledgeItem(rest)
		return []bundle.Memo{ItemMemo(it)}, err
	}
	return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
}

// expandTurns shows turns raw, and at lower levels where that is too long.
func (f *Found) expandTurns(id, talk string, from, to int) ([]bundle.Memo, error) {
	info, err := f.View.Find(talk)
	if err != nil {
		return nil, err
	}
	if to > info.Turns {
		return nil, fmt.Errorf("turn %s of conversation %q: %w", dialogue.TurnID(to), talk, conversation.ErrNotFound)
	}
	var out []bundle.Memo
	for _, level := range []dialogue.Level{dialogue.Raw, dialogue.Smoothed, dialogue.Compressed, dialogue.Tiny} {
		m := bundle.Memo{
			ID: id, Kind: "turn", Tag: dialogue.RangeTag(from, to, level), Title: "Turn " + fmt.Sprint(from), Format: "summary", Score: 1,
			Reason: "was asked for", ConversationID: talk, TurnID: dialogue.TurnID(from),
		}
		if level == dialogue.Raw {
			m.Format = "full"
		}
		var bodies []string
		for n := from; n <= to; n++ {
			text, err := f.View.TurnText(info, n, level)
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, text.Body)
			m.MessageIDs = append(m.MessageIDs, text.MessageIDs...)
		}
		m.Body = strings.Join(bodies, "\n")
		out = append(out, m)
	}
	return out, nil
}

func (f *Found) expandArc(id, talk string) ([]bundle.Memo, error) {
	info, err := f.View.Find(talk)
	if err != nil {
		return nil, err
	}
	var out []bundle.Memo
	for _, style := range []arc.Style{arc.Dense, arc.Rich, arc.Light} {
		a, err := f.View.Arc(info, style, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, bundle.Memo{ID: id, Kind: "arc", Body: a.Text, Format: "full", Score: 1, Reason: "was asked for", ConversationID: talk})
	}
	return out, nil
}

func (f *Found) expandTask(id string) ([]bundle.Memo, error) {
	const all = 100
	completed, blockers, err := f.View.Tasks(all)
	if err != nil {
		return nil, err
	}
	for _, t := range append(blockers, completed...) {
		if m := TaskMemo(t); m.ID == id {
			return []bundle.Memo{m}, nil
		}
	}
	return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
}

// ItemMemo shows an item of knowledge.
func ItemMemo(it knowledge.Item) bundle.Memo {
	m := bundle.Memo{
		ID: knowledgePrefix + it.ID, Kind: string(it.Kind), Title: it.Title, Body: it.Content, Format: "full", Score: 1, Reason: "was learned",
		MessageIDs: it.MessageIDs,
	}
	if it.Kind == knowledge.Rule && strings.EqualFold(strings.TrimRight(it.Title, "."), strings.TrimRight(it.Content, ".")) {
		m.Title = ""
	}
	if len(it.Topics) > 0 {
		m.Attrs = []render.Attr{{Name: "topics", Value: strings.Join(it.Topics, ", ")}}
	}
	return m
}
