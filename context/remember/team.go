package remember

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

const suggestedID, suggestedTitle = "rules:team", "Suggested by teammates, not accepted"

// suggested returns the rules of teammates that concern the prompt, each with its author. They are
// a list of their own, so that nobody takes them for what the person said.
func (p *Past) suggested() ([]item.Item, error) {
	all, _, err := p.view.Knowledge.Rules(nil)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(it knowledge.Item) bool { return it.Team == nil || it.Standing() != knowledge.Candidate })
	taken, out := p.doubtful(all, suggestedLine)
	if len(taken) == 0 {
		return out, nil
	}
	setChances(p.opts.Prompt, taken)
	m := item.Item{ID: suggestedID, Kind: item.Rule, Title: suggestedTitle, Format: "full", Reason: "rules of teammates, about the prompt; not accepted"}
	for _, r := range taken {
		m.Score = max(m.Score, r.Score)
		m.Body += suggestedLine(r.Item) + "\n"
		m.Says = append(m.Says, r.Item.Line())
	}
	m.Body = strings.TrimRight(m.Body, "\n")
	return append(out, m), nil
}

func suggestedLine(it knowledge.Item) string {
	return "- " + authorName(it.Team) + ": \"" + it.Line() + "\"" + rivalNote(it.Team)
}

// authorName returns the name of a teammate on one line, marked where nothing proves it.
func authorName(s *knowledge.Provenance) string {
	name := strings.Join(strings.Fields(s.Name), " ")
	if !s.Proven && !s.Own {
		name += " (not verified)"
	}
	return name
}

// rivalNote says that another teammate's words replace the same earlier ones.
func rivalNote(s *knowledge.Provenance) string {
	if len(s.Rivals) == 0 {
		return ""
	}
	return " (another teammate changed the same rule otherwise)"
}

// standBelow lowers the scores of what teammates wrote and the person did not accept.
func standBelow(ranked []knowledge.RankedItem) {
	for i := range ranked {
		if t := ranked[i].Item.Team; t != nil && ranked[i].Item.Standing() == knowledge.Candidate {
			ranked[i].Score *= besideOwn
		}
	}
	slices.SortStableFunc(ranked, func(a, b knowledge.RankedItem) int { return cmp.Compare(b.Score, a.Score) })
}
