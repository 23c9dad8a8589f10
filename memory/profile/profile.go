// Package profile finds what conversations are about and what they mention: topics, which are
// clusters of turns with a label as people wrote it, and entities (people, services, tables,
// tickets, projects, flags, hosts), whose spellings are merged. Each has a profile: what it is,
// what was decided, which rules apply, what is open, what is related to it, and when.
//
// Nothing here is reworded: labels and names are spelled as somebody spelled them, and each
// statement of a profile is a sentence of a message that names its subject, byte for byte.
//
// [Reader] collects turns, [Reader.Find] makes the [Set]. The package is pure: no storage, no
// clock, and the same turns yield the same set whatever the order of the conversations. Capital
// letters do not prove a name, since languages differ in them; spelling, context and recurrence do.
package profile

import (
	"time"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// Turn is the input from one turn.
type Turn struct {
	Source       string // "<conversation>/T-7"
	Conversation string
	Number       int
	At           time.Time
	Sentences    []Sentence
	Files        []string // that the turn mentions, relative to the root
}

// Sentence is a sentence in a person's or an assistant's own words.
type Sentence struct {
	Text    string
	Message string // its id
	At      time.Time
	Author  string // by name, if known
	Person  bool
	// Passing means that an assistant says it before it calls a tool: it announces an action and
	// states no fact.
	Passing bool
	Scores  utterance.Scores

	again bool // see markRepeated
}

// Kind of an entity.
type Kind string

// The kinds. Name is for anything with a name and no other evident kind.
const (
	Person  Kind = "person"
	Service Kind = "service"
	Table   Kind = "table"
	Ticket  Kind = "ticket"
	Project Kind = "project"
	Flag    Kind = "flag"
	Host    Kind = "host"
	Name    Kind = "name"
)

// Part is the aspect of its subject that a statement covers.
type Part string

// The parts of a profile.
const (
	What     Part = "what"     // what or who it is
	Decision Part = "decision" // what was settled about it
	Rule     Part = "rule"     // what holds for it
	Question Part = "question" // what is undecided about it
	Event    Part = "event"    // what happened to it
)

// Statement is a sentence of a message that names its subject, byte for byte.
type Statement struct {
	Part         Part      `json:"part"`
	Text         string    `json:"text"`
	Conversation string    `json:"conversation"`
	Turn         string    `json:"turn"` // "T-7"
	Message      string    `json:"message"`
	At           time.Time `json:"at"`
	Author       string    `json:"author,omitempty"`
	Person       bool      `json:"person,omitempty"`
}

// Source names the statement's turn: "<conversation>/T-7".
func (s *Statement) Source() string { return s.Conversation + "/" + s.Turn }

// Trend compares how often a subject came up recently with the time before.
type Trend string

// The trends of the contract.
const (
	Rising  Trend = "rising"
	Steady  Trend = "steady"
	Falling Trend = "falling"
)

// Subject is what topics and entities have in common.
type Subject struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`           // one to four words, as people wrote them
	Names []string `json:"names,omitempty"` // other spellings and names of it, the most frequent first
	// Weight among the subjects of its kind, from 0 to 1.
	Weight float64   `json:"weight"`
	Trend  Trend     `json:"trend"`
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
	Turns  []string  `json:"turns"` // its sources, oldest first, the latest [MostTurns]
	Count  int       `json:"count"` // of all turns that mention it
	// Weeks counts its turns in each of the last [Weeks] weeks up to that of [Set.Latest], the
	// oldest first; nil when an older program found it that did not count them.
	Weeks []int `json:"weeks,omitempty"`
	// Files and Related occur with it, the closest first; Related are the labels of entities.
	Files      []string    `json:"files,omitempty"`
	Related    []string    `json:"related,omitempty"`
	Statements []Statement `json:"statements,omitempty"` // by part, in chronological order
	// Merged lists the ids of earlier subjects that are now part of this one; Split is the subject
	// that this was a part of.
	Merged []string `json:"merged,omitempty"`
	Split  string   `json:"split,omitempty"`
	// Pinned means that a person wants it always listed, Renamed that its label is a person's.
	Pinned  bool `json:"pinned,omitempty"`
	Renamed bool `json:"renamed,omitempty"`
	// Title holds a model's answer about a topic's label, nil before it was asked.
	Title *Title `json:"title,omitempty"`
}

// Topic is a cluster of turns.
type Topic struct {
	Subject
}

// Entity is a person or thing with a name.
type Entity struct {
	Subject
	Kind Kind `json:"kind"`
}

// Set is what was found, the heaviest first.
type Set struct {
	Topics   []Topic  `json:"topics"`
	Entities []Entity `json:"entities"`
	// Latest is the time of the latest turn that was read, from which weeks and trends are counted:
	// so they do not change while nothing is said, and do not depend on when they are read.
	Latest time.Time `json:"latest,omitzero"`
}

// Bounds of what is stored.
const (
	MostTurns    = 200 // sources of a subject
	MostTopics   = 100
	MostEntities = 300
	mostNames    = 8
	mostRelated  = 8
	minTurns     = 3 // that make a topic
)

// halfLife is the age at which a turn's contribution to a weight halves; trendSpan is compared with
// the span before it.
const (
	halfLife  = 30 * 24 * time.Hour
	trendSpan = 7 * 24 * time.Hour
)

// Subject returns the topic or the entity with an id, nil when there is none. It belongs to the
// set.
func (s *Set) Subject(id string) *Subject {
	for i := range s.Topics {
		if s.Topics[i].ID == id {
			return &s.Topics[i].Subject
		}
	}
	for i := range s.Entities {
		if s.Entities[i].ID == id {
			return &s.Entities[i].Subject
		}
	}
	return nil
}
