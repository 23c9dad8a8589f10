package remember

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// maxSuperseded bounds the replaced rules that a bundle names among what it leaves out.
const maxSuperseded = 8

// superseded returns the rules on the prompt that a later one replaced.
func (p *Past) superseded() ([]item.Item, error) {
	_, all, err := p.view.Knowledge.Rules(nil)
	if err != nil {
		return nil, err
	}
	var out []item.Item
	for _, r := range knowledge.Rank(p.opts.Prompt, all, p.opts.Terms) {
		if len(out) < maxSuperseded {
			out = append(out, left(r.Item, "superseded"))
		}
	}
	return out, nil
}

// The tokens that candidates for rules may take in a bundle: saidTokens, or a share of a large
// budget.
const (
	saidID, saidTitle = "rules:said", "Said earlier, not confirmed"
	saidTokens        = 300
	saidShare         = 40 // one in so many tokens
	// maxUnfit is the number of candidates up to which all of them are shown to a task, as rules
	// are; of more, only those that match the prompt at least by saidFits.
	maxUnfit = 20
)

// IsUnconfirmed reports whether an item of a bundle is the list of rules that nobody confirmed.
func IsUnconfirmed(id string) bool { return id == saidID || id == suggestedID }

// candidates returns the candidates for rules that concern the prompt, as dated quotations in
// chronological order. It leaves out what the conversation itself shows in view.
func (p *Past) candidates() ([]item.Item, error) {
	all, _, err := p.view.Knowledge.Rules(nil)
	if err != nil {
		return nil, err
	}
	inView := NewestInView(len(p.sizes), p.wholeTurns())
	all = slices.DeleteFunc(all, func(it knowledge.Item) bool {
		return it.Standing() != knowledge.Candidate || it.Team != nil || it.Conversation == p.info.ID && p.info.ID != "" && inView > 0 && it.Turn >= inView
	})
	taken, out := p.doubtful(all, saidLine)
	if len(taken) == 0 {
		return out, nil
	}
	setChances(p.opts.Prompt, taken)
	slices.SortStableFunc(taken, func(a, b knowledge.RankedItem) int { return cmp.Compare(a.Item.Serial, b.Item.Serial) })
	m := item.Item{ID: saidID, Kind: item.Rule, Title: saidTitle, Format: "full", Reason: "candidates for rules, about the prompt; not confirmed yet"}
	for _, r := range taken {
		m.Score = max(m.Score, r.Score)
		m.Body += saidLine(r.Item) + "\n"
		m.Says = append(m.Says, r.Item.Line())
		m.MessageIDs = append(m.MessageIDs, r.Item.MessageIDs...)
	}
	m.Body = strings.TrimRight(m.Body, "\n")
	return append(out, m), nil
}

// doubtful returns the rules of a list that concern the prompt and fit into the room for those that
// are not confirmed, each written by line; out are those that are left out.
func (p *Past) doubtful(all []knowledge.Item, line func(knowledge.Item) string) (taken []knowledge.RankedItem, out []item.Item) {
	room := max(saidTokens, p.opts.Budget/saidShare)
	ranked := knowledge.Rank(p.opts.Prompt, all, p.opts.Terms)
	if len(ranked) > maxUnfit { // not all can be meant for each task
		slices.SortStableFunc(ranked, func(a, b knowledge.RankedItem) int { return cmp.Compare(b.Fit, a.Fit) })
		fitting, _ := slices.BinarySearchFunc(ranked, saidFits, func(r knowledge.RankedItem, least float64) int {
			if r.Fit >= least {
				return -1
			}
			return 1
		})
		for _, r := range ranked[fitting:] {
			out = append(out, left(r.Item, "filtered"))
		}
		ranked = ranked[:fitting]
	}
	for _, r := range ranked {
		if n := p.opts.Count(line(r.Item) + "\n"); n <= room {
			room -= n
			taken = append(taken, r)
			continue
		}
		out = append(out, left(r.Item, item.OverBudget))
	}
	return taken, out
}

// saidLine returns a quotation of a candidate with its date.
func saidLine(it knowledge.Item) string {
	return "- " + it.CreatedAt.Format("2006-01-02") + ": \"" + it.Line() + "\""
}
