package remember

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Act tells what memory has at the moments at which an assistant acts. It tells only what names the
// file or reports the failure itself, and else nothing.
type Act struct {
	View *memory.View
	// Mine is the id of the conversation that acts, which shows what was said in it; "" for none.
	Mine string
	// Symbols are the names of the symbol that is asked about, and Others those of the other
	// symbols of its file: with them, what names the symbol comes first, and what names only others
	// is left out. nil asks about a whole file.
	Symbols []string
	Others  map[string]bool
	// Alone reports whether no other file of the workspace has a file's name, without its folder.
	Alone func(file string) bool
}

// Reminder is a statement that is told at an act.
type Reminder struct {
	ID           string
	Kind         knowledge.Label // rule, decision or lesson
	Text         string
	Date         string // 2026-10-31; "" when unknown
	At           time.Time
	Conversation string
	Turn         int    // 0 when it is of no turn
	Passed       string // the command that passed after a failure, byte for byte
	// Doubtful means of a lesson that a failure taught it: what was changed meanwhile may not be
	// why the call passed then.
	Doubtful bool
}

const (
	rule   knowledge.Label = "rule"
	lesson knowledge.Label = "lesson"
)

// actTurns bounds the turns about a file whose decisions are read: the best of them.
const actTurns = 40

// fewWords is the least number of words of a decision: less is a choice among what was offered.
const fewWords = 4

// BeforeEdit returns the active rules, the decisions and the lessons that name a file of the
// workspace, given by its path: rules first, then the newest first. A lesson that a failing call
// taught is told when it fails again, not before an edit of what the call named.
func (a *Act) BeforeEdit(file string) ([]Reminder, error) {
	rules, _, err := a.View.Knowledge.Rules(nil)
	if err != nil {
		return nil, err
	}
	var out, dated []Reminder
	for _, it := range rules {
		if it.Standing() == knowledge.Confirmed && a.names(it.Content+" "+it.Scope, file) {
			out = append(out, a.known(it, rule, it.Content))
		}
	}
	for _, kind := range []knowledge.Kind{knowledge.Reference, knowledge.Lesson} {
		items, err := a.View.Knowledge.List(knowledge.Filter{Kind: kind})
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			switch {
			case !it.Holds():
			case kind == knowledge.Reference && it.Label == knowledge.Decision && a.names(it.Content, file):
				dated = append(dated, a.known(it, knowledge.Decision, it.Content))
			case kind == knowledge.Lesson && !it.Learned && a.names(it.Title+"\n"+it.Content, file):
				dated = append(dated, a.known(it, lesson, taught(it)))
			}
		}
	}
	decided, err := a.decided(file)
	if err != nil {
		return nil, err
	}
	dated = append(dated, decided...)
	slices.SortStableFunc(dated, func(x, y Reminder) int { return cmp.Compare(y.Date, x.Date) })
	return a.unseen(a.closest(append(out, dated...))), nil
}

// closest puts the statements about the symbol that is asked about first, and removes those about
// other symbols of its file.
func (a *Act) closest(list []Reminder) []Reminder {
	if len(a.Symbols) == 0 {
		return list
	}
	var first, after []Reminder
	for _, t := range list {
		own, other := false, false
		for name := range symbolsIn(t.Text) {
			own = own || slices.Contains(a.Symbols, name)
			other = other || a.Others[name] || a.Others[name[strings.LastIndexByte(name, '.')+1:]]
		}
		switch {
		case own:
			first = append(first, t)
		case !other:
			after = append(after, t)
		}
	}
	return append(first, after...)
}

// symbolsIn returns the names of code in a text.
func symbolsIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range subject.Mentions(dialogue.Message{Role: dialogue.User, Content: text}, nil) {
		if m.Kind == subject.Symbol {
			out[strings.TrimSuffix(m.Name, "()")] = true
		}
	}
	return out
}

// AfterFailure returns what passed instead when a command, "" for one that is not known, failed in
// the same way, and the lessons about the failures that its output reports, the newest first.
func (a *Act) AfterFailure(command, output string) ([]Reminder, error) {
	items, err := a.View.Knowledge.List(knowledge.Filter{Kind: knowledge.Lesson})
	if err != nil {
		return nil, err
	}
	var out []Reminder
	for _, it := range knowledge.Recurring(output, items) {
		t := a.known(it, lesson, taught(it))
		t.Doubtful = it.Learned
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(x, y Reminder) int { return cmp.Compare(y.Date, x.Date) })
	repair, err := a.Repair(knowledge.NewFailure(command, output))
	if err != nil {
		return nil, err
	}
	if repair != nil {
		out = slices.Insert(out, 0, *repair)
	}
	return a.unseen(out), nil
}

// taught returns what a lesson says: its title, which names the failure and what was done, or the
// whole of one that a person wrote without a title, which only repeats its beginning.
func taught(it knowledge.Item) string {
	if !it.Learned && strings.HasPrefix(it.Content, strings.TrimSuffix(it.Title, "…")) {
		return it.Content
	}
	return it.Title
}

// decided returns the decisions in the arcs of conversations that name a file.
func (a *Act) decided(file string) (out []Reminder, err error) {
	found, err := a.View.Mentioning(subject.Lookup{Paths: []string{file}, Symbols: a.Symbols, Limit: actTurns})
	if err != nil {
		return nil, err
	}
	read := map[uint32]bool{}
	for _, f := range found {
		if read[f.Conversation] {
			continue
		}
		read[f.Conversation] = true
		info, _, err := a.View.Messages.Places(f.Conversation, 0, 0)
		if errors.Is(err, conversation.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		told, err := a.View.Arcs.Of(info, arc.Light, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range told.Decisions {
			if utterance.CountWords(d.Text) >= fewWords && a.names(d.Text, file) {
				out = append(out, Reminder{
					ID: TurnsID(info.ID, d.Turn, d.Turn), Kind: knowledge.Decision, Text: d.Text, Date: f.At.UTC().Format("2006-01-02"), At: f.At, Conversation: info.ID, Turn: d.Turn,
				})
			}
		}
	}
	return out, nil
}

// names reports whether a text names a file: by its path or the end of it, or by its name alone if
// no other file has it. The symbol that is asked about stands for its file.
func (a *Act) names(text, file string) bool {
	for _, m := range subject.Mentions(dialogue.Message{Role: dialogue.User, Content: text}, nil) {
		switch {
		case m.Kind != subject.Path:
			if m.Kind == subject.Symbol && slices.Contains(a.Symbols, strings.TrimSuffix(m.Name, "()")) {
				return true
			}
		case m.Name == file, strings.Contains(m.Name, "/") && strings.HasSuffix(file, "/"+m.Name):
			return true
		case m.Name == path.Base(file) && a.Alone != nil && a.Alone(file):
			return true
		}
	}
	return false
}

// known returns an item of knowledge as it is told, with the turn in which it was said last.
func (a *Act) known(it knowledge.Item, kind knowledge.Label, text string) Reminder {
	out := Reminder{ID: it.ID, Kind: kind, Text: text}
	if !it.UpdatedAt.IsZero() {
		out.Date, out.At = it.UpdatedAt.UTC().Format("2006-01-02"), it.UpdatedAt
	}
	if n := len(it.Quotations); n > 0 {
		q := it.Quotations[n-1]
		out.Conversation = q.Conversation
		out.Turn, _ = dialogue.ParseTurn(q.Turn)
		if !q.At.IsZero() {
			out.Date, out.At = q.At.UTC().Format("2006-01-02"), q.At
		}
	}
	return out
}

// unseen removes what the conversation that acts was said in itself, and what is told twice.
func (a *Act) unseen(list []Reminder) []Reminder {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(t Reminder) bool {
		twice := seen[t.Text]
		seen[t.Text] = true
		return twice || a.Mine != "" && t.Conversation == a.Mine
	})
}
