// Package recall finds the messages of past conversations that answer a question.
//
// Its index is a set of postings in the memory store, written with the messages themselves and
// removed with them: there is nothing to build at the start and nothing that runs beside.
// [Index.Add] stages what a change of a conversation adds, [Index.Remove] takes exactly that away
// again, [Index.Search] ranks.
//
// A message is ranked by its own words first (BM25 over weighted fields), and then by its
// neighbourhood: the messages around it lend it score, because an answer rarely repeats the words
// of the question it answers, and so does its session. What a person said counts more for a
// question about that person.
package recall

import (
	"github.com/contexture-dev/contexture/memory/store"
)

// Terms cuts a text into the terms it is found by; it is the same function for Add, Remove and
// Search of one store. A term that begins with # stands for data, a digest or a long number: it
// finds its message as others do, and does not count as length.
type Terms func(text string, yield func(term string))

// Span is a run of messages of one conversation; To is not included.
type Span struct {
	Conversation uint32
	From, To     int
}

// Query is what is looked for.
type Query struct {
	Text  string
	Spans []Span // nil: the whole workspace; several of one conversation count as the run that holds them all
	// Sessions gives the indices of the first messages of a conversation's sessions, ascending;
	// nil: none are known, and a conversation is one session. It is asked about few conversations.
	Sessions func(conv uint32) []int
	// Recency is how much newness counts: 0 relevance alone, 1 most. A session that is three
	// sessions old then counts half.
	Recency float64
	Limit   int // hits at most; 0: 200
}

// Hit is one message found. Scores compare within one answer only; the best is 1.
type Hit struct {
	Conversation uint32
	Message      int     // its index in the conversation
	Score        float64 // what it is ranked by
	Own          float64 // the part that its own words earned
	Lent         float64 // the part of Score that the messages around it and its session lend it
	Voice        Voice   // whether the query names who said it
	First        bool    // it begins its session
	// Share is how much of the query the message says: what its own words earned of what a message
	// of usual length earns that says each word of the query once. Unlike the scores it compares
	// between answers.
	Share float64
}

// Voice tells of a message whether who said it is whom a query names.
type Voice int8

// The voices. Nobody: the query names none of those who speak.
const (
	Nobody Voice = iota
	Asked
	Another
)

// The keys of a workspace: a term, a group of conversations, a block of messages. The value is the
// postings of the messages that hold the term in that block of each of those conversations, in the
// order in which they were added.
//
// Conversations are many and mostly short, or few and long. In groups, a term that stands in a
// thousand of them has some thirty keys; in blocks, what is added to a long one joins a value of
// bounded size.
//
// Three names of terms are not from texts. The empty one is in every message: its postings are the
// table of messages, which tells how many there are and how long they are. A term behind authorMark
// is a part of the author's name. versionTerm has for each value of the table a version, which
// every change of that value renews: a search reads the versions and of the table only what it has
// not kept from another search. A version never comes back, so that what is kept is right for every
// snapshot that has it.
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
