// Package recall finds the messages of past conversations that answer a question.
//
// Its index is a set of postings in the memory store, written and removed together with the
// messages: nothing is built at startup and nothing runs in the background. [Index.Add] stages what
// a change adds to a conversation, [Index.Remove] removes exactly that, and [Index.Search] ranks.
//
// A message is ranked first by its own words (BM25 over weighted fields), and then by its
// neighbourhood: the messages around it and its session add to its score, because an answer rarely
// repeats the words of the question it answers. For a question about a person, what that person
// said counts more.
package recall

import (
	"github.com/contexture-dev/contexture/memory/store"
)

// Terms splits a text into its search terms. Add, Remove and Search of one store must use the same
// function. A term that begins with # stands for data, a digest or a long number: it matches like
// other terms but does not count towards the length.
type Terms func(text string, yield func(term string))

// Span is a run of messages of one conversation; To is not included.
type Span struct {
	Conversation uint32
	From, To     int
}

// Query describes a search.
type Query struct {
	Text  string
	Spans []Span // nil: the whole workspace; several in one conversation are joined to one run
	// Sessions returns the indices of the first messages of a conversation's sessions, ascending.
	// nil means that none are known and a conversation is one session. It is called for few
	// conversations.
	Sessions func(conv uint32) []int
	// Recency is the weight of recency: 0 means relevance only, 1 is the maximum. At 1 a session
	// that is three sessions old counts half.
	Recency float64
	Limit   int // maximum number of hits; 0: 200
}

// Hit is one message found. Scores are comparable only within one answer; the best is 1.
type Hit struct {
	Conversation uint32
	Message      int     // its index in the conversation
	Score        float64 // determines the rank
	Own          float64 // the part from its own words
	Lent         float64 // the part of Score from the messages around it and from its session
	Voice        Voice   // whether the query names its author
	First        bool    // it begins its session
	// Share is how much of the query the message covers: the score of its own words relative to
	// that of a message of usual length that contains each word of the query once. Unlike the
	// scores it is comparable between answers.
	Share float64
}

// Voice reports whether a message's author is a person whom the query names.
type Voice int8

// The voices. Nobody means that the query names none of the authors.
const (
	Nobody Voice = iota
	Asked
	Another
)

// The keys of a workspace: a term, a group of conversations, a block of messages. The value holds
// the postings of the messages that contain the term in that block of each of those conversations,
// in the order in which they were added.
//
// Conversations are either many and mostly short, or few and long. Because of the groups, a term
// that occurs in a thousand conversations has some thirty keys; because of the blocks, additions to
// a long conversation go to a value of bounded size.
//
// Three term names do not come from texts. The empty one is in every message: its postings are the
// table of messages, which holds their number and lengths. A term after authorMark is a part of the
// author's name. versionTerm has a version for each value of the table, which every change of that
// value renews: a search reads the versions, and of the table only what it has not cached from
// another search. Versions are never reused, so a cached value is valid for every snapshot that has
// its version.
const (
	groupBits   = 5 // 32 conversations a group
	groupSize   = 1 << groupBits
	blockBits   = 12 // 4,096 messages a block
	blockSize   = 1 << blockBits
	tableTerm   = ""
	authorMark  = "\x02"
	versionTerm = "\x03"
	defaultHits = 200
)

func termPrefix(ws store.Workspace, term string) []byte {
	return store.AppendString(store.Prefix(store.Recall, ws), term)
}

func postingKey(ws store.Workspace, term string, group, block uint32) []byte {
	return store.AppendUint32(store.AppendUint32(termPrefix(ws, term), group), block)
}
