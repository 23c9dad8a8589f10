package remember

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/episode"
)

// A decision often has none of the words that its subject is known by: those are where the subject
// was introduced, days before. An episode has both, so that a question finds it, and its quotations
// answer.
const (
	episodePrefix        = "episode:"
	mostEpisodes         = 4
	nearlyBest           = .75 // the share of the best episode's fit that another must have
	maxEpisodeQuotations = 5   // quotations
	longestTitle         = 120 // bytes
	// matterShare is the share of a quotation's score that comes from its episode; the rest comes
	// from its own words.
	matterShare   = .5
	replacedShare = .4
	openShare     = .7
)

// episodes returns the episodes that match a question, each as its quotations.
func (f *Found) episodes(query, memoryType string) ([]recall.Candidate, error) {
	if f.Scope != nil || memoryType != "any" && memoryType != "decision" && memoryType != "episode" {
		return nil, nil
	}
	x, err := f.View.Episodes()
	if err != nil {
		return nil, err
	}
	return candidatesOf(x.Find(query, mostEpisodes), memoryType), nil
}

// candidatesOf returns the episodes that have quotations of a type and match about as well as the
// best of those.
func candidatesOf(found []episode.Found, memoryType string) []recall.Candidate {
	var out []recall.Candidate
	for _, e := range found {
		if len(out) > 0 && e.Fit < nearlyBest*out[0].Fit {
			break
		}
		c := recall.Candidate{
			ID: episodePrefix + e.ID, Kind: item.Summary, Title: clipTitle(e.Title.Text), ConversationID: e.Spans[0].Conversation, Date: e.Begin.UTC().Format("2006-01-02"),
			Fit: e.Fit, Reason: "an episode about the query", Derived: true,
		}
		c.Lines = episodeLines(&e, memoryType)
		if len(c.Lines) == 0 {
			continue
		}
		for _, l := range c.Lines {
			if l.Score > c.Score {
				c.Score = l.Score
			}
		}
		out = append(out, c)
	}
	return out
}

// episodeLines returns the quotations of an episode, those with most of the question's words first.
func episodeLines(e *episode.Found, memoryType string) []recall.Line {
	var out []recall.Line
	for i := range e.Notes {
		n := &e.Notes[i]
		if memoryType == "decision" && n.Part != episode.Decided {
			continue
		}
		share := 1.0
		switch {
		case n.Replaced:
			share = replacedShare
		case n.Part == episode.Open || n.Part == episode.Wrong || n.Part == episode.Stated:
			share = openShare
		}
		out = append(out, recall.Line{
			Index: i, ID: n.Message, Text: noteText(n), Score: share * (matterShare*e.Fit + (1-matterShare)*min(e.Fit, e.Says[i])), Share: e.Says[i],
		})
	}
	slices.SortStableFunc(out, func(a, b recall.Line) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	out = out[:min(maxEpisodeQuotations, len(out))]
	slices.SortFunc(out, func(a, b recall.Line) int { return a.Index - b.Index })
	return out
}

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
