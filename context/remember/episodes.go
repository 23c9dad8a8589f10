package remember

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/episode"
)

const (
	episodePrefix = "episode:"
	longestTitle  = 120 // bytes
)

// noteText returns a quotation with its turn, by which it can be requested.
func noteText(n *episode.Note) string {
	return fmt.Sprintf("%s (%s): %s", episode.Said(n), n.Source(), n.Text)
}

func clipTitle(text string) string {
	if len(text) <= longestTitle {
		return text
	}
	at := strings.LastIndexByte(text[:longestTitle], ' ')
	if at < longestTitle/2 {
		at = longestTitle
	}
	return strings.ToValidUTF8(text[:at], "") + "…"
}

// expandEpisode returns a whole episode.
func (f *Found) expandEpisode(id string) ([]item.Item, error) {
	x, err := f.View.Episodes()
	if err != nil {
		return nil, err
	}
	all := x.Episodes()
	at := slices.IndexFunc(all, func(e episode.Episode) bool { return episodePrefix+e.ID == id })
	if at < 0 {
		return nil, fmt.Errorf("item %q: %w", id, conversation.ErrNotFound)
	}
	e := &all[at]
	var lines []string
	m := item.Item{
		Kind: item.Summary, Title: clipTitle(e.Title.Text), Format: "full", Score: 1, Reason: "requested by its id", ConversationID: e.Spans[0].Conversation,
		TurnID: dialogue.TurnID(e.Spans[0].From), Attrs: []item.Attr{{Name: "date", Value: e.Begin.UTC().Format("2006-01-02")}},
	}
	for i := range e.Notes {
		lines = append(lines, noteText(&e.Notes[i]))
		if id := e.Notes[i].Message; id != "" {
			m.MessageIDs = append(m.MessageIDs, id)
		}
	}
	for _, s := range e.Spans {
		lines = append(lines, fmt.Sprintf("%s turns %s to %s", s.Conversation, dialogue.TurnID(s.From), dialogue.TurnID(s.To)))
	}
	if len(e.Files) > 0 {
		lines = append(lines, strings.Join(e.Files, " "))
	}
	m.Body = strings.Join(lines, "\n")
	return []item.Item{m}, nil
}
