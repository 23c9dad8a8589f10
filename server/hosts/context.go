package hosts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
)

// BundleText chooses what of a bundle a hook adds to a prompt: all blocks but the prompt itself, which the host sends
// anyway, what the conversation itself said, which the model has seen, and the project's own rule files, which the host
// reads. Where that is more than most bytes, the blocks with the lowest scores are left out. It is empty where nothing
// in the bundle is about the prompt.
func BundleText(b *command.BundleResult, conversation, root string, most int) string {
	if idle(b.Intent) {
		return ""
	}
	var chosen []block
	size, about := 0, false
	for _, it := range b.Items {
		if it.Span == nil || skipped(it, conversation, root) {
			continue
		}
		about = about || !general(it.Kind)
		if n := len(chosen); n > 0 && chosen[n-1].start == it.Span.Start {
			chosen[n-1].score = max(chosen[n-1].score, it.Score) // items that share a block
			continue
		}
		chosen = append(chosen, block{it.Span.Start, it.Span.End, it.Score, fixed(it.Kind)})
		size += it.Span.End - it.Span.Start
	}
	if !about {
		return ""
	}
	for size > most && len(chosen) > 0 {
		i := slices.Index(chosen, slices.MinFunc(chosen, block.weaker))
		size -= chosen[i].end - chosen[i].start
		chosen = slices.Delete(chosen, i, i+1)
	}
	var text strings.Builder
	for _, c := range chosen {
		text.WriteString(b.Text[c.start:c.end])
	}
	return text.String()
}

// block is a part of a bundle's text.
type block struct {
	start, end int
	score      float64
	fixed      bool
}

// weaker orders blocks by what is left out first.
func (a block) weaker(b block) int {
	if a.fixed != b.fixed {
		if a.fixed {
			return 1
		}
		return -1
	}
	return cmp.Compare(a.score, b.score)
}

// skipped says that an item is not for the model a second time.
func skipped(it command.Item, conversation, root string) bool {
	switch it.Kind {
	case "prompt", "notice":
		return true
	case "identity", "preference":
		return it.URI != "" && strings.HasPrefix(it.URI, root)
	}
	return it.ConversationID != "" && it.ConversationID == conversation && it.Kind != "rule"
}

// general items stand in any bundle: alone they say nothing about a prompt.
func general(kind string) bool { return kind == "identity" || kind == "preference" || kind == "topic" }

// fixed items stay while others are left out.
func fixed(kind string) bool { return kind == "rule" || kind == "identity" || kind == "preference" }

// routine are words of orders that need no context, such as "commit this" and "run the tests".
var routine = strings.Fields(`add again all amend branch build change changes check commit continue deploy done fine fix format go good great
	keep lint looks merge next ok okay perfect please proceed pull push rebase redo release retry revert run ship start status stop sure test tests
	thank thanks undo yes`)

// idle says that a prompt asks about nothing in particular.
func idle(in command.Intent) bool {
	if in.Greeting {
		return true
	}
	if len(in.Entities) > 0 || len(in.Identifiers) > 0 || len(in.Hints) > 0 {
		return false
	}
	return !slices.ContainsFunc(in.Keywords, func(word string) bool { return !slices.Contains(routine, strings.ToLower(word)) })
}

// Standing is what is said again after a compaction.
type Standing struct {
	Rules     []string
	Focus     string
	Decisions []string
	Questions []string
}

// StandingText words what is said again, "" where there is nothing, in most bytes at most: what is last goes first.
func StandingText(s Standing, most int) string {
	var b strings.Builder
	section := func(title string, lines []string) {
		for i, line := range lines {
			line = "- " + strings.Join(strings.Fields(line), " ") + "\n"
			if i == 0 {
				line = title + "\n" + line
				if b.Len() > 0 {
					line = "\n" + line
				}
			}
			if b.Len()+len(line) > most {
				return
			}
			b.WriteString(line)
		}
	}
	section("Rules that the person set (kept by Contexture):", s.Rules)
	if s.Focus != "" {
		section("What this conversation was about when it was compacted:", []string{s.Focus})
	}
	section("Decided in this conversation:", s.Decisions)
	section("Open questions of this conversation:", s.Questions)
	return b.String()
}
