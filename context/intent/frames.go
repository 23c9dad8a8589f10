package intent

import "strings"

// Frame is the kind of work that a prompt belongs to.
type Frame string

// The frames, from talk that needs no code to the search for a cause.
const (
	Conversation Frame = "conversation"
	Question     Frame = "question"
	Task         Frame = "task"
	Decision     Frame = "decision"
	Creative     Frame = "creative"
	Debug        Frame = "debug"
)

// windows holds the number of newest turns that each frame is deduplicated against.
var windows = map[Frame]int{Conversation: 3, Question: 5, Task: 5, Decision: 8, Creative: 4, Debug: 6}

// Window returns how many of the newest turns to deduplicate against; for an unknown
// frame the question's.
func (f Frame) Window() int {
	if n, ok := windows[f]; ok {
		return n
	}
	return windows[Question]
}

func (f Frame) known() bool { _, ok := windows[f]; return ok }

// priority breaks ties between frames; the first wins.
var priority = []Frame{Debug, Decision, Task, Creative, Question, Conversation}

// framePhrases are the weights of a prompt's phrases for each frame. The scale: 1 is a hint, 2 a
// sign, 3 nearly certain.
var framePhrases = map[Frame][]phrase{
	Debug: {
		{"traceback", 3}, {"stack trace", 3}, {"stacktrace", 3}, {"segfault*", 3}, {"root cause", 2}, {"deadlock*", 2},
		{"crash*", 2}, {"panic*", 2}, {"debug", 2}, {"debugging", 2}, {"diagnos*", 2}, {"not working", 2}, {"doesn't work", 2},
		{"does not work", 2}, {"stopped working", 2}, {"no longer works", 2}, {"infinite loop", 2}, {"race condition", 2}, {"flaky", 2},
		{"hangs", 2}, {"hanging", 2}, {"nil pointer", 2}, {"null pointer", 2}, {"memory leak", 2}, {"throws", 1.5}, {"raises", 1.5},
		{"exception*", 1.5}, {"broken", 1.5}, {"bug", 1.5}, {"bugs", 1}, {"fail", 1.5}, {"fails", 1.5}, {"failing", 1.5}, {"failed", 1.5},
		{"failure*", 1}, {"overflow*", 1}, {"leak", 1}, {"leaks", 1}, {"error", 1}, {"errors", 1}, {"wrong", 1}, {"incorrect*", 1},
		{"unexpected*", 1}, {"regression", 1}, {"investigate", 1}, {"reproduc*", 1}, {"freezes", 1}, {"corrupt*", 1}, {"stuck", 1},
		{"expected behavior", 1.5}, {"actual behavior", 1.5}, {"describe the bug", 2}, {"why does", 1}, {"why is", 0.5},
		{"fix", 1}, {"fixes", 1}, {"nil dereference", 1}, {"out of memory", 1},
	},
	Decision: {
		{"should we", 3}, {"should i", 3}, {"pros and cons", 3}, {"trade offs", 3}, {"trade off", 3}, {"tradeoff*", 3}, {"which is better", 3},
		{"better to", 2}, {"vs", 2}, {"versus", 2}, {"decid*", 2}, {"decision*", 2}, {"choose", 2}, {"recommend*", 2}, {"compare", 1},
		{"or should", 2}, {"would it be better", 3}, {"which approach", 3}, {"which library", 3}, {"which option", 3}, {"choice", 1.5},
		{"alternatives", 1.5}, {"chose", 1.5}, {"worth it", 1.5}, {"is it worth", 2}, {"what would you pick", 3}, {"prefer", 1},
	},
	Task: {
		{"implement*", 1}, {"refactor*", 1.5}, {"migrat*", 1}, {"make sure", 1}, {"i need", 1}, {"i want", 1}, {"we need", 1},
		{"please", 1}, {"go ahead and", 2},
	},
	Creative: {
		{"brainstorm*", 4}, {"poem", 4}, {"haiku", 4}, {"limerick", 4}, {"joke", 4}, {"slogan", 4}, {"tagline", 4}, {"lyrics", 4},
		{"come up with", 3}, {"imagine", 3}, {"creative", 3}, {"catchy", 3}, {"invent", 3}, {"short story", 3}, {"story about", 3},
		{"ideas", 2}, {"blog post", 2}, {"mascot", 2}, {"logo", 2}, {"funny", 2}, {"name for", 1.5}, {"names for", 2},
	},
	Question: {
		{"explain", 2.5}, {"walk me through", 2.5}, {"tell me about", 2}, {"show me", 1.5}, {"describe", 1.5}, {"understand", 0.5},
		{"where is", 1}, {"where are", 1}, {"how does", 1}, {"what is", 1}, {"what does", 1}, {"what are", 1}, {"difference between", 1},
		{"looking for", 1},
	},
	Conversation: {
		{"how are you", 3}, {"how is it going", 3}, {"how's it going", 3}, {"nice to meet", 3}, {"good job", 2}, {"well done", 2},
		{"thank*", 1}, {"your name", 2}, {"who are you", 3}, {"what can you do", 3},
	},
}

// The weights of a prompt's shape, added to those of its phrases.
const (
	questionWeight   = 2
	imperativeWeight = 3 // starts with a verb of taskVerbs
	traceWeight      = 3
	errorWeight      = 2
)

// fewWords is the length up to which a statement without any sign is a look-up ("token refresh");
// longer ones describe a change ("wraps request body to prevent closing").
const fewWords = 3

func classifyFrame(d *document, m matches, s Signals, isTrace bool) Frame {
	if s.Greeting || s.Acknowledgement {
		return Conversation
	}
	score := m.frames
	if s.Question {
		score[Question] += questionWeight
	}
	switch verb := imperative(d); {
	case s.Question && questionPairs[verb] != nil:
		// "do you …" is not an order.
	case taskVerbs[verb]:
		score[Task] += imperativeWeight
	case repairVerbs[verb]:
		score[Task] += fixWeight
	case lookVerbs[verb]:
		score[Question] += imperativeWeight
	}
	if !s.Question && len(d.words) > fewWords {
		score[Task] += statementWeight
	}
	switch {
	case isTrace:
		score[Debug] += traceWeight
	case len(s.Errors) > 0:
		score[Debug] += errorWeight
	case namesException(s.Identifiers):
		score[Debug] += exceptionWeight
	}
	best, most := Frame(""), 0.0
	for _, f := range priority {
		if score[f] > most {
			best, most = f, score[f]
		}
	}
	if best == "" {
		return Question
	}
	return best
}

func namesException(identifiers []string) bool {
	for _, id := range identifiers {
		if strings.HasSuffix(id, "Error") || strings.HasSuffix(id, "Exception") {
			return true
		}
	}
	return false
}

// imperative returns the verb that the prompt starts with, after polite openings: for "hi, could
// you please add …" it is "add". It returns "" without words, and when the word after it shows that
// the first one is a noun: "search doesn't work".
func imperative(d *document) string {
	words := d.words
	for i := 0; i < maxOpenings && len(words) > 0; i++ {
		n := longest(words, openings)
		if n == 0 && len(words) > 1 && predicates[words[1].text] {
			return ""
		}
		if n == 0 {
			return words[0].text
		}
		words = words[n:]
	}
	return ""
}

// startsWith returns how many words phrase takes at the front of words, 0 for none.
func startsWith(words []word, phrase string) int {
	n := 0
	for want := range strings.FieldsSeq(phrase) {
		if n >= len(words) || words[n].text != want {
			return 0
		}
		n++
	}
	return n
}
