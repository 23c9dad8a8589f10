// Package intent determines what a prompt asks for.
//
// Classify returns the signals, PlanFor derives what to retrieve. Both are pure pattern matching:
// no model, no clock, no I/O, and the same prompt always has the same result. The decisions are in
// tables (frames.go, hints.go, lexicon.go); the code only scans the text once and looks things up.
// Prompts of any length from 32 KiB on cost about the same, because only their head and tail are
// read.
package intent

import (
	"slices"
	"strings"
)

// Signals are what was found in a prompt. Slices are in order of appearance, without duplicates,
// and nil when empty.
type Signals struct {
	Frame    Frame
	Question bool
	Greeting bool // a greeting and nothing else: "hi there!", but not "hi, where is main?"
	// Acknowledgement is a turn without a topic of its own: "thanks", "ok, go on".
	Acknowledgement bool
	Recency         float64            // 0 no signal … 1 today
	Hints           map[string]float64 // by memory type: decision, fact, procedure, episode; only values above 0
	Entities        []Entity
	Keywords        []string // lower-case topic words, at most 16
	// Order is the verb of an order, in lower case: "refactor" of "please refactor this". It is
	// what to do, not the object.
	Order string

	// Identifiers are code-like words: camelCase, snake_case, CONST_CASE, dotted
	// names, words in backticks, calls (without their parentheses).
	Identifiers []string
	Errors      []string     // error messages and panic texts, each on one line
	Frames      []StackFrame // of stack traces and of "file.go:12:3" positions
	Imports     []string     // modules that import lines name
	Signatures  []string     // declarations, without the body's opening
	Files       []string     // paths and file names, with '/' and without positions
	Asked       []string     // those of Files that the asking lines name; no folders
	AboutTests  bool         // the request is about tests, benchmarks, fixtures or mocks themselves
	AboutDocs   bool         // the request is about documentation
	// Relation is what the prompt asks about the symbols that it names, and RelationWords are the
	// words, in lower case, with which it does.
	Relation      Relation
	RelationWords []string
}

// Entity is a thing that the prompt names.
type Entity struct {
	Kind string // file, symbol, package, name, date
	Text string
}

// StackFrame is a location in the code. Function is empty if the text names none, and has the
// spelling of the language.
type StackFrame struct {
	File     string // as in the trace, with '/' as separator and without "file://"
	Line     int    // from 1
	Function string
}

// Context is what is known of a prompt besides its text.
type Context struct {
	Frame Frame // as requested by the caller; "" = classified
}

// Limits of what is kept from one prompt.
const (
	maxKeywords    = 16
	maxIdentifiers = 64
	maxErrors      = 16
	maxFrames      = 64
	maxFiles       = 32
	maxEntities    = 48
	maxMessage     = 240 // bytes of one error message or signature
)

// Classify returns the signals of prompt. It never fails; a text without any signal yields the zero
// signals with a frame.
func Classify(prompt string, now Context) Signals {
	d := newDocument(prompt)
	var s Signals
	trace := readTraces(d)
	s.Frames = trace.frames
	readDeclarations(d, &s)
	// Only after that is it known which lines are prose.
	d.markAsking()
	d.makeWords()
	readErrors(d, &s)
	names := readNames(d, &s)

	m := matchPhrases(d)
	s.addPhrases(m.messages)
	s.Recency = m.recency
	s.Hints = m.hints
	s.Question = isQuestion(d)
	switch smallTalk(d) {
	case greeting:
		s.Greeting = true
	case acknowledgement:
		s.Acknowledgement = true
	}
	s.Keywords = readKeywords(d)
	if verb := imperative(d); taskVerbs[verb] || repairVerbs[verb] || lookVerbs[verb] {
		s.Order = verb
	}
	s.AboutTests = m.aboutTests || names.testNamed
	s.AboutDocs = m.aboutDocs || names.docNamed
	s.Relation, s.RelationWords = readRelation(d, &s)
	s.AboutTests = s.AboutTests || s.Relation == Tests && asksTests(s.RelationWords)
	s.Entities = entities(d, s, names)
	s.Frame = now.Frame
	if !s.Frame.known() {
		s.Frame = classifyFrame(d, m, s, trace.isTrace)
	}
	return s
}

// entities returns the things named, the most certain kinds first.
func entities(d *document, s Signals, n names) []Entity {
	var found []Entity
	add := func(kind string, texts []string) {
		for _, t := range texts {
			e := Entity{Kind: kind, Text: t}
			if len(found) < maxEntities && !slices.Contains(found, e) {
				found = append(found, e)
			}
		}
	}
	add("file", s.Files)
	add("symbol", s.Identifiers)
	add("package", n.packages)
	add("package", s.Imports)
	add("date", readDates(d))
	add("name", readProperNames(d))
	return found
}

// appendNew appends t unless it is there already or the list is full.
func appendNew(list []string, t string, limit int) []string {
	if t == "" || len(list) >= limit || slices.Contains(list, t) {
		return list
	}
	return append(list, t)
}

// clip shortens s to at most limit bytes, at a rune border.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return strings.TrimSpace(s[:limit])
}
