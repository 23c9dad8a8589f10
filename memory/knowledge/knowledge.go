// Package knowledge keeps what was learned from a workspace's conversations and what was put there
// by hand: lessons, references and standing rules, and the topics that conversations are about.
//
// Nothing here is reworded: what is found in a conversation is quoted. [Hear] finds directives in a
// message, [Learn] stores them while the message is appended: what was said outright for the future
// is active at once, the rest are candidates. A later one about the same thing supersedes the
// earlier. [Process] is the offline run: topics, lessons, merging,
// pruning, references assembled from quotations and from the workspace's documents,
// recommendations. [Active] and [ActiveIn] return the active rules, [Rank] sorts them for a
// question.
//
// Functions that change something read one state of the store and write to a batch; the caller that
// applies the batch must keep changes of one workspace from overlapping. Each raises the
// workspace's [Version].
package knowledge

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Errors of this package.
var (
	// ErrNotFound: there is no item of that id.
	ErrNotFound = errors.New("no such item of knowledge")
	// ErrBroken: a stored record cannot be read.
	ErrBroken = errors.New("record of knowledge is broken")
)

// Kind of an item.
type Kind string

// The kinds of the contract.
const (
	Lesson    Kind = "lesson"
	Reference Kind = "reference"
	Rule      Kind = "rule"
)

// Label distinguishes references in a person's own words.
type Label string

// The labels.
const (
	Decision Label = "decision" // what was decided, and why
	Note     Label = "note"     // what may be useful later
)

// Quotation is a part of a message, byte for byte, with its source; or a part of a document of the
// workspace with its position.
type Quotation struct {
	Conversation string    `json:"conversation"`
	Turn         string    `json:"turn"` // "T-7"
	Message      string    `json:"message"`
	Path         string    `json:"path,omitempty"` // of the document, below the root; "" = it was said
	Line         int       `json:"line,omitempty"` // from 1
	Text         string    `json:"text"`
	At           time.Time `json:"at"`
	Author       string    `json:"author,omitempty"`
	// Outright means that it was said outright for the future, or in place of an active rule.
	Outright bool `json:"outright,omitempty"`
	// Origin is equal in copies of a conversation; see [Origins].
	Origin string `json:"origin,omitempty"`
}

// maxQuotations bounds the quotations of a rule or a lesson.
const maxQuotations = 16

// Item is a lesson, a reference or a rule. What memory found by itself consists of quotations:
// Content is their text, a line break between them, and Title the beginning of the first. Its JSON
// is the stored and the exported form.
type Item struct {
	ID           string   `json:"id"`
	Kind         Kind     `json:"kind"`
	Label        Label    `json:"label,omitempty"` // Decision or Note of a reference in a person's own words
	Title        string   `json:"title"`
	Content      string   `json:"content"`
	Topics       []string `json:"topics"`
	Keywords     []string `json:"keywords"`
	Weight       float64  `json:"weight"`
	SourceTurns  []string `json:"sourceTurns"` // "<conversation>/T-7"
	SupersededBy string   `json:"supersededBy,omitempty"`
	SupersededIn string   `json:"supersededIn,omitempty"` // the conversation that replaced it; "" = by hand, everywhere
	// Outdated is the reason that a lesson is no longer active; it is listed with superseded items.
	Outdated  string    `json:"outdated,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`

	State        State        `json:"state,omitempty"` // as confirmed, see Standing; "" = confirmed, of items stored before there were states
	Confirmation Confirmation `json:"confirmation,omitempty"`
	Quotations   []Quotation  `json:"quotations,omitempty"`
	Scope        string       `json:"scope,omitempty"` // paths and symbols that it refers to

	// Worked lists, for a lesson, the files that were changed and the call that passed then.
	Worked []string `json:"worked,omitempty"`

	// Team says who wrote it, if that was somebody else; see [Receive].
	Team *Provenance `json:"team,omitempty"`

	// Only for learned items, not for those put by hand:
	Learned      bool          `json:"learned,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	Turn         int           `json:"turn,omitempty"`       // in which it was stated first
	MessageIDs   []string      `json:"messageIds,omitempty"` // the stating message, then those that repeat it
	Author       string        `json:"author,omitempty"`
	Role         dialogue.Role `json:"role,omitempty"`
	Probability  float64       `json:"probability,omitempty"` // that it is of its kind
	// Judged means that a chat model was asked about a candidate.
	Judged bool `json:"judged,omitempty"`
	// Serial orders rules by their last statement.
	Serial uint64 `json:"serial,omitempty"`

	profile *utterance.Profile // of Content, computed on first use
	words   []string           // search terms, computed on first use
}

// subjects returns the names under which an active rule is indexed.
func (it *Item) subjects() []string {
	if it.words == nil {
		it.words = subjectNames(it.shape())
	}
	return it.words
}

// shape returns the profile of the item's content.
func (it *Item) shape() utterance.Profile {
	if it.profile == nil {
		p := utterance.NewProfile(clipped(it.Content))
		it.profile = &p
	}
	return *it.profile
}

// Line returns the item's content in one line: for rules the text in bundles.
func (it *Item) Line() string { return strings.Join(strings.Fields(it.Content), " ") }

// authority identifies whose rule it is: within one authority a later rule supersedes an earlier
// one in any conversation. What is put by hand has every authority.
func (it *Item) authority() string {
	switch {
	case !it.Learned:
		return ""
	case it.Author != "":
		return it.Author
	}
	return string(it.Role)
}

// order sorts items by weight, then by the latest change.
func order(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.Serial, a.Serial), cmp.Compare(a.ID, b.ID))
	})
}
