// Package knowledge keeps what was learned from a workspace's conversations and what was put there by hand: lessons,
// references and standing rules, and the topics that conversations are about.
//
// [Distill] finds standing rules in a message, [Learn] stores them while the message is appended; a newer rule on a
// subject supersedes the older one. [Process] is the offline run: topics, lessons, merging, pruning, recommendations.
// [Active] and [ActiveIn] give the rules that hold, [Rank] orders them for a question.
//
// Functions that change something read one state of the store and write to a batch; whoever applies the batch keeps
// changes of one workspace from overlapping. Each raises the workspace's [Version].
package knowledge

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
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

// Item is a lesson, a reference or a standing rule. Its JSON is the stored and the exported form.
type Item struct {
	ID           string    `json:"id"`
	Kind         Kind      `json:"kind"`
	Title        string    `json:"title"`
	Content      string    `json:"content"` // of a learned rule: one line in the imperative
	Topics       []string  `json:"topics"`
	Keywords     []string  `json:"keywords"`
	Weight       float64   `json:"weight"`
	SourceTurns  []string  `json:"sourceTurns"` // "<conversation>/T-7"
	SupersededBy string    `json:"supersededBy,omitempty"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`

	// Of what was learned, not put by hand:
	Learned      bool          `json:"learned,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	Turn         int           `json:"turn,omitempty"`       // in which it was stated
	MessageIDs   []string      `json:"messageIds,omitempty"` // the stating message, then those that repeat it
	Author       string        `json:"author,omitempty"`
	Role         dialogue.Role `json:"role,omitempty"`
	// WrittenFrom stands for the content that the rules made of a lesson, which a model was shown.
	WrittenFrom string `json:"writtenFrom,omitempty"`

	// Of rules:
	Subject Subject `json:"subject,omitzero"`
	// Withdraws marks what only ends a rule and puts none in its place; it is never listed among what holds.
	Withdraws bool `json:"withdraws,omitempty"`
	// Serial orders rules by when they were stated.
	Serial uint64 `json:"serial,omitempty"`
}

// Line is the item in one line: for rules what is shown in bundles.
func (it *Item) Line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(it.Content), "\n")
	return line
}

// Holds reports whether the item is neither superseded nor the mere end of another.
func (it *Item) Holds() bool { return it.SupersededBy == "" && !it.Withdraws }

// authority is whom a rule's word is from: within it a later rule supersedes an earlier one in any conversation. What
// is put by hand has every authority.
func (it *Item) authority() string {
	switch {
	case !it.Learned:
		return ""
	case it.Author != "":
		return it.Author
	}
	return string(it.Role)
}

// order sorts items by weight, then the latest changed first.
func order(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.Serial, a.Serial), cmp.Compare(a.ID, b.ID))
	})
}
