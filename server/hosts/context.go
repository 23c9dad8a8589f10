package hosts

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts/answer"
)

// Part is a part of a bundle as a model reads it, with the items that it contains.
type Part struct {
	Text  string
	Items []command.Item
}

// BundleText returns what a hook adds to a prompt: the names of the places in the workspace that it
// is probably about, and what memory has about it. Text of files is left to the assistant, which
// opens what it needs; so are the prompt itself, which the host sends anyway, the conversation's
// own messages, which the model has seen, the project's own rule files, which the host reads, the
// person's rules, which are no data and come in a text of their own, and what an earlier answer
// contained (c.Given). If the rest exceeds most bytes, the parts with the
// lowest scores are left out. The text is empty if nothing is about the prompt; otherwise ids are
// those of the items and places in it.
func BundleText(in command.Intent, parts []Part, places []Place, c Conversation, most int) (text string, ids []string) {
	if idle(in) {
		return "", nil
	}
	var chosen []block
	size, about := len(answer.Opening)+len(answer.Closing), false
	for _, p := range parts {
		b := block{text: p.Text + "\n"}
		for _, it := range p.Items {
			if c.has(it) {
				continue
			}
			b.ids = append(b.ids, it.ID)
			b.fixed = b.fixed || general(it.Kind)
			b.score = max(b.score, it.Score)
			about = about || !general(it.Kind)
		}
		if len(b.ids) > 0 {
			chosen = append(chosen, b)
			size += len(b.text)
		}
	}
	if b := named(places, func(id string) bool { return slices.Contains(c.Given, id) }); b.text != "" {
		about = true
		chosen = append(chosen, b)
		size += len(b.text)
	}
	for size > most && len(chosen) > 0 {
		i := slices.IndexFunc(chosen, func(b block) bool {
			return !slices.ContainsFunc(chosen, func(other block) bool { return other.weaker(b) < 0 })
		})
		size -= len(chosen[i].text)
		chosen = slices.Delete(chosen, i, i+1)
	}
	if !about || len(chosen) == 0 {
		return "", nil
	}
	var out strings.Builder
	out.WriteString(answer.Opening)
	for _, b := range chosen {
		out.WriteString(b.text)
		ids = append(ids, b.ids...)
	}
	out.WriteString(answer.Closing)
	return out.String(), ids
}

// Conversation is the conversation that a prompt continues.
type Conversation struct {
	ID   string // of memory
	Root string // URI of its workspace
	// Given are the ids of items in earlier answers.
	Given []string
}

// block is a chosen part.
type block struct {
	text  string
	score float64
	fixed bool     // it is kept while others are left out
	ids   []string // of its items that the model has not seen
}

// weaker orders blocks; the first is left out first.
func (a block) weaker(b block) int {
	if a.fixed != b.fixed {
		if a.fixed {
			return 1
		}
		return -1
	}
	return cmp.Compare(a.score, b.score)
}

// surely is the probability that what was said earlier helps from which a hook tells it: nobody
// asked. Replayed on 150 prompts of recorded sessions of a repository to which nothing was fitted,
// with a memory that grew as it did then, hooks gave 216 tokens a prompt with all of it, and 182
// with what this and the confirmed rules leave.
const surely = .5

// has reports whether an item's text is not for the model: it has it, receives it from the host,
// opens the file itself, or nothing says surely that it helps. Reminders are for persons: replayed
// on 400 prompts of a repository to which nothing was fitted, six of ten had one, 117 tokens each,
// and of 37 that were read hardly one would have helped. What memory made by itself mostly quotes
// the workspace's documents: on 1,200 prompts of another, half of all tokens.
func (c Conversation) has(it command.Item) bool {
	switch {
	case remember.IsUnconfirmed(it.ID), it.Derived, it.Kind == "turn" && it.Score < surely:
		return true
	case remember.IsStanding(it.ID), it.Kind == "prompt", it.Kind == "tickler", isPlace(it.Kind), it.Kind == "topic", it.Kind == "notice" && !bundle.IsMissing(it.ID), slices.Contains(c.Given, it.ID):
		return true
	case it.Kind == "identity", it.Kind == "preference":
		return it.URI != "" && strings.HasPrefix(it.URI, c.Root)
	}
	return it.ConversationID != "" && it.ConversationID == c.ID
}

// general reports whether items of a kind are in every bundle: alone they are no sign of relevance
// to the prompt, and they are kept while others are left out.
func general(kind string) bool { return kind == "identity" || kind == "preference" }

// idle reports whether a prompt asks about nothing in particular.
func idle(in command.Intent) bool {
	if in.Greeting {
		return true
	}
	if len(in.Entities) > 0 || len(in.Identifiers) > 0 || len(in.Hints) > 0 {
		return false
	}
	return intent.Routine(in.Keywords)
}

// standingPrefix begins the ids of StandingID.
const standingPrefix = "standing:"

// StandingID identifies a list of rules by its lines, in whatever text it is.
func StandingID(text string) string {
	sum := fnv.New64a()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "- ") {
			_, _ = sum.Write([]byte(strings.TrimSpace(line) + "\n")) // never fails
		}
	}
	return standingPrefix + strconv.FormatUint(sum.Sum64(), 36)
}

// commits are the words for recording a change, by script. Git's own word is used in all languages.
var commits = []string{"commit", "push", "コミット", "プッシュ", "提交", "推送", "커밋", "푸시", "коммит"}

// Commits reports whether a prompt asks that a change be recorded: rules are to be kept then.
func Commits(prompt string) bool {
	prompt = strings.ToLower(prompt)
	return slices.ContainsFunc(commits, func(word string) bool {
		at := strings.Index(prompt, word)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(prompt[:at])
		return word[0] >= utf8.RuneSelf || at == 0 || !unicode.IsLetter(before)
	})
}

// Orders reports whether a prompt is an order, which asks about nothing but has something done.
func Orders(in command.Intent, prompt string) bool {
	return !in.Greeting && (len(in.Keywords) > 0 || Commits(prompt))
}

// Standing is what is repeated after a compaction.
type Standing struct {
	Rules     []string
	Request   string // of the person, the last
	Focus     string
	Commands  []string // that worked
	Decisions []string
	Questions []string
	Files     []string // recent subjects of the conversation
	Lately    []string // recent subjects of the workspace's other conversations
}

// listed formats a list on one line; nothing if it is empty.
func listed(names []string) []string {
	line := strings.Join(names, ", ")
	if line == "" {
		return nil
	}
	return []string{line}
}

// StandingText returns the text that is repeated after a compaction, "" if there is none. It has at
// most most bytes: the last entries are left out first. A focus that the last request names is not
// repeated.
func StandingText(s Standing, most int) string {
	s.Request = clipped(s.Request, mostOfRequest)
	if strings.Contains(s.Request, s.Focus) {
		s.Focus = ""
	}
	return sections(most, section{answer.Rules, s.Rules}, section{answer.Request, listed([]string{s.Request})},
		section{answer.Focus, listed([]string{s.Focus})}, section{answer.Decisions, s.Decisions}, section{answer.Files, listed(s.Files)},
		section{answer.Commands, s.Commands}, section{answer.Questions, s.Questions}, section{answer.Lately, listed(s.Lately)})
}

// mostOfRequest is how much of the last request is repeated, in bytes.
const mostOfRequest = 600

// MaxTask is the maximum size of what a sub-agent is told, in bytes.
const MaxTask = 1000

// TaskText returns what a sub-agent is told when it starts: the rules, what the conversation that
// starts it is about, and its files, in at most [MaxTask] bytes; "" if there is nothing.
func TaskText(s Standing) string {
	return sections(MaxTask, section{answer.Rules, s.Rules}, section{answer.Task, listed([]string{s.Focus})}, section{answer.Working, listed(s.Files)})
}

// section is a title with its list.
type section struct {
	title string
	lines []string
}

// sections formats the sections that have entries, in at most most bytes.
func sections(most int, list ...section) string {
	var b strings.Builder
	for _, s := range list {
		for i, line := range s.lines {
			if s.title != answer.Commands { // which are repeated as they are
				line = strings.Join(strings.Fields(line), " ")
			}
			line = "- " + line + "\n"
			if i == 0 {
				line = s.title + "\n" + line
				if b.Len() > 0 {
					line = "\n" + line
				}
			}
			if b.Len()+len(line) > most {
				break
			}
			b.WriteString(line)
		}
	}
	return b.String()
}
