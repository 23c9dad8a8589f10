package arc

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Limits that keep notes small for a turn of any size.
const (
	mostRead    = 32 << 10 // bytes of a message; a longer one contains pasted text
	mostSaid    = 12       // sentences kept, of the person and of the assistant each
	mostKeys    = 96       // of all statements of one party
	mostNames   = 8
	longestText = 400 // bytes of a quotation
)

// Notes holds what a Folder needs from one turn.
type Notes struct {
	Turn    int
	Intent  string   // what the person asked for, one sentence
	Names   []string // paths and identifiers, most important first
	Said    []Line   // sentences of the person that may decide, propose, ask or withdraw
	Replied []Line   // what the assistant proposed, listed or asked, and its first statements
	Heard   []key    // what the person's statements are about
	Answer  []key    // what the assistant's statements are about
	Reply   Reply
}

// Reply holds flags about the assistant's statements in a turn.
type Reply byte

// The flags of a reply.
const (
	Replies Reply = 1 << iota // the assistant replied
	Evades                    // the answer is not known
	Brief                     // the reply begins with a few words, the first entry of Replied
)

// Line is a sentence with what it probably does.
type Line struct {
	Text     string
	Wide     string // with its neighbour, if it is too short to be understood alone; else ""
	Scores   [utterance.NumLabels]byte
	Kept     byte // the probability that it is worth keeping, in 255ths
	Chosen   byte // the probability that it settles something that lasts, in 255ths
	Marks    Mark
	Words    int
	Agrees   int // the length of the words at its beginning that only agree
	Keys     []key
	Rejected []string // parts of Text
	names    []string // its paths and identifiers, until the turn is read
}

// Mark is a set of flags: what the cues and the form of a sentence indicate.
type Mark uint16

// The marks of a line.
const (
	asks Mark = 1 << iota
	denies
	listed
	settling
	changing
	withdrawing
	deferring
	offering
	opening   // among the first two of its message
	last      // among the last three of its message
	leaving   // it leaves something open
	trails    // it follows a question in its message
	stated    // a label says outright that it is decided or open
	undecided // it says that something is not decided
)

func (l *Line) p(of utterance.Label) float64 { return float64(l.Scores[of]) / 255 }

func (l *Line) is(m Mark) bool { return l.Marks&m != 0 }

// Note reads a turn. It skips tool messages, reasoning, code and what others wrote: they contain no
// decisions or questions.
func Note(t dialogue.Turn) Notes {
	n := Notes{Turn: t.Number}
	names := newNaming()
	before := ""
	for _, m := range t.Messages {
		if m.Role != dialogue.User && m.Role != dialogue.Assistant {
			continue
		}
		person := m.Role == dialogue.User
		lines := linesOf(m.Content, person, before)
		if len(lines) > 0 {
			before = lines[len(lines)-1].Text
		}
		names.add(m, lines)
		if person {
			n.hear(lines)
		} else {
			n.answer(lines)
		}
	}
	n.Names = names.top()
	return n
}

// linesOf returns the sentences of a message, only from the beginning and the end of a long one.
func linesOf(text string, person bool, before string) []Line {
	if len(text) > mostRead {
		head, tail := strings.ToValidUTF8(text[:mostRead/2], ""), strings.ToValidUTF8(text[len(text)-mostRead/2:], "")
		return append(linesOf(head, person, before), linesOf(tail, person, "")...)
	}
	role := utterance.Assistant
	if person {
		role = utterance.Person
	}
	read := utterance.Read(text, role, before)
	lines := make([]Line, len(read))
	heading := "" // of the list that the sentence may belong to
	for i, s := range read {
		l := &lines[i]
		l.Text = cut(text[s.Start:s.End])
		for label, p := range s.Scores {
			l.Scores[label] = byte(p * 255)
		}
		l.Kept, l.Chosen = byte(s.Kinds.Kept()*255), byte(s.Kinds[utterance.Choice]*255)
		low := lower(l.Text)
		l.Words = utterance.CountWords(l.Text)
		l.Agrees = agrees(low)
		l.Keys, l.names = keysOf(l.Text[l.Agrees:])
		l.mark(low, s.Listed, i, len(read))
		if begins := strings.TrimRight(text[:s.Start], " \t"); !s.Listed && (begins == "" || strings.HasSuffix(begins, "\n")) {
			heading = headingOf(l.Text)
		}
		if person {
			l.announce(heading)
		}
		if i > 0 && lines[i-1].is(asks|trails) && !l.is(asks) {
			l.Marks |= trails
		}
		if person && l.Words <= fewWords && len(read) > 1 {
			l.Wide = wide(text, read, i)
		}
	}
	return lines
}

// briefReply is the largest number of words of a sentence that only confirms.
const briefReply = 6

// fewWords is the largest number of words of a sentence that is too short to be understood alone.
const fewWords = 4

// wide returns the sentence with the next one of its paragraph, or else with the one before.
func wide(text string, read []utterance.ScoredSentence, i int) string {
	from, to := i, i+1
	if to == len(read) || read[to].Paragraph != read[i].Paragraph || strings.HasSuffix(text[:read[to].End], "?") {
		from, to = i-1, i
	}
	if from < 0 || read[from].Paragraph != read[to].Paragraph || read[to].End-read[from].Start > longestText {
		return ""
	}
	return text[read[from].Start:read[to].End]
}

// cut shortens a sentence at a word boundary.
func cut(s string) string {
	if len(s) <= longestText {
		return s
	}
	if i := strings.LastIndexAny(s[:longestText], " \t\n"); i > 0 {
		return s[:i]
	}
	return strings.ToValidUTF8(s[:longestText], "")
}

// hear adds what the person said.
func (n *Notes) hear(lines []Line) {
	best := -1.0
	for i := range lines {
		l := &lines[i]
		w := weightOf(l.Keys)
		wants := max(l.p(utterance.Order), l.p(utterance.Question), l.p(utterance.Problem), l.p(utterance.Decision)/2, slightly) + min(w, 4)/4
		if w > intended && wants > best && n.Intent == "" || wants > best && w > intended {
			n.Intent, best = l.Text, wants
		}
		if !l.is(asks | deferring) {
			n.Heard = add(n.Heard, l.Keys)
		}
		if l.matters() && len(n.Said) < mostSaid {
			n.Said = append(n.Said, *l)
		}
	}
}

// matters reports whether a sentence of the person may change an arc.
func (l *Line) matters() bool {
	return l.Marks&^(denies|listed|last|opening|changing|leaving|trails) != 0 || l.Agrees > 0 || l.Rejected != nil || l.p(utterance.Decision) > traceable || l.p(utterance.Proposal) > hinted ||
		l.is(opening) && l.Words <= shortReply
}

// answer adds what the assistant said.
func (n *Notes) answer(lines []Line) {
	statements := 0
	for i := range lines {
		l := &lines[i]
		if !l.is(asks) {
			statements++
			n.Answer = add(n.Answer, l.Keys)
			n.Reply |= Replies
		}
		if statements == 1 && len(n.Replied) == 0 && l.Words <= briefReply && !l.is(asks) {
			n.Reply |= Brief
		}
		if (l.is(asks|listed) || l.p(utterance.Proposal) > hinted || statements == 1) && len(n.Replied) < mostSaid {
			n.Replied = append(n.Replied, *l)
		}
	}
	if statements == 1 && len(lines) == 1 && evades(&lines[0]) {
		n.Reply |= Evades
	}
}

// evades reports whether a whole reply is a statement that the answer is not known: it is short and
// contains a negation, but not as its first word, which would make it an answer.
func evades(l *Line) bool {
	if l.is(deferring) || l.Words <= shortReply && l.is(leaving) {
		return true
	}
	_, rest, _ := strings.Cut(l.Text, " ")
	return l.Words <= 8 && denied(rest) && !denied(strings.TrimSuffix(l.Text, rest))
}

func denied(text string) bool { return slices.Contains(utterance.Marks(text), "¬") }

// add appends keys to a list until it is full.
func add(list, keys []key) []key {
	if len(list) >= mostKeys {
		return list
	}
	list = union(list, keys)
	return list[:min(len(list), mostKeys)]
}
