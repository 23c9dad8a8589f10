package knowledge

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// lessonForm must be raised when a program finds different lessons in the same conversations, so
// that the earlier ones are removed.
const lessonForm = 6

// Bounds of a lesson.
const (
	lessonReach  = 8 // turns between a problem and the evidence that it is solved
	lessonTokens = 2000
	errorLines   = 4 // lines of a failing call
	causeLines   = 4 // sentences about findings in between
)

// scoredSentence is a sentence of the talk with its scores.
type scoredSentence struct {
	turn, message int
	text          string
	person        bool
	scores        utterance.Scores
	brief         bool // it is of a few words with a change, or without any call
}

// conversationLog is a conversation as read for lessons: the statements and the tools' events, in
// order.
type conversationLog struct {
	talk   []TalkTurn
	said   []scoredSentence
	events []event
	// firstSaid and firstEvent are, by turn, the indices of the first sentence and event of that
	// turn or later.
	firstSaid, firstEvent []int
	pause                 func() error // is called between small steps
}

func newConversationLog(talk []TalkTurn, f *facts, pause func() error) (*conversationLog, error) {
	events, err := eventsOf(talk, pause)
	if err != nil {
		return nil, err
	}
	a := &conversationLog{talk: talk, events: events, pause: pause}
	err = f.each(func(turn, message, start, end int, scores utterance.Scores) error {
		if len(a.said)%100 == 0 {
			if err := pause(); err != nil {
				return err
			}
		}
		if turn >= len(talk) || message >= len(talk[turn].Turn.Messages) || end > len(talk[turn].Turn.Messages[message].Content) {
			return fmt.Errorf("read facts: %w", ErrBroken)
		}
		m := &talk[turn].Turn.Messages[message]
		a.said = append(a.said, scoredSentence{turn: turn, message: message, text: m.Content[start:end], person: m.ByPerson(), scores: scores})
		return nil
	})
	a.firstSaid, a.firstEvent = make([]int, len(talk)+1), make([]int, len(talk)+1)
	s, e := 0, 0
	for i := range a.firstSaid {
		for s < len(a.said) && a.said[s].turn < i {
			s++
		}
		for e < len(a.events) && a.events[e].turn < i {
			e++
		}
		a.firstSaid[i], a.firstEvent[i] = s, e
	}
	a.noteBrief()
	return a, err
}

// briefly is the number of sentences of a message that has nothing else to tell.
const briefly = 3

// noteBrief notes which sentences are of brief messages.
func (a *conversationLog) noteBrief() {
	type place struct{ turn, message int }
	changes := map[place]bool{}
	for _, e := range a.events {
		if len(e.changed) > 0 {
			changes[place{e.turn, e.message}] = true
		}
	}
	for first := 0; first < len(a.said); {
		at := place{a.said[first].turn, a.said[first].message}
		next := first
		for next < len(a.said) && (place{a.said[next].turn, a.said[next].message}) == at {
			next++
		}
		silent := len(a.talk[at.turn].Turn.Messages[at.message].ToolCalls) == 0
		for k := first; k < next; k++ {
			a.said[k].brief = next-first <= briefly && (silent || changes[at])
		}
		first = next
	}
}

// saidIn returns the sentences of some turns, with their indices in said.
func (a *conversationLog) saidIn(first, last int) iter.Seq2[int, *scoredSentence] {
	return func(yield func(int, *scoredSentence) bool) {
		for k := a.firstSaid[first]; k < a.firstSaid[min(last+1, len(a.talk))] && yield(k, &a.said[k]); k++ {
		}
	}
}

// eventsIn returns the events of some turns, with their indices in events.
func (a *conversationLog) eventsIn(first, last int) iter.Seq2[int, *event] {
	return func(yield func(int, *event) bool) {
		for k := a.firstEvent[first]; k < a.firstEvent[min(last+1, len(a.talk))] && yield(k, &a.events[k]); k++ {
		}
	}
}

// lessonsIn returns the lessons of a conversation's turns: a call that failed, what was changed,
// and a call of the same kind that passed; or a problem that a person reports and a statement, by
// the person or the assistant, that it is solved.
func lessonsIn(a *conversationLog, count func(string) int) ([]*Item, error) {
	var out []*Item
	covered := map[int]bool{} // events that a lesson covers
	last := -1                // the last turn of a lesson
	problems, err := a.problems()
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		if err := a.pause(); err != nil {
			return nil, err
		}
		if p.event < 0 && p.turn <= last || covered[p.event] {
			continue
		}
		end, ok := a.solved(p)
		if !ok {
			continue
		}
		if it := a.lesson(p, end, count); it != nil {
			out = append(out, it)
			last = max(last, end.turn)
			for k := p.event; p.event >= 0 && k < len(a.events) && k <= end.event; k++ {
				if a.events[k].again(&a.events[p.event]) {
					covered[k] = true
				}
			}
		}
	}
	return out, nil
}

// moment is a position in the talk with the event or the sentence there; either may be -1.
type moment struct {
	turn, message int
	event, said   int
}

// problems returns the moments at which something does not work, in order: each call that fails,
// with the problem that the person reported in that turn, and problems that only a person reports.
func (a *conversationLog) problems() ([]moment, error) {
	var out []moment
	for i := range a.talk {
		if err := a.pause(); err != nil {
			return nil, err
		}
		reported := -1
		best := problemAt
		for k, s := range a.saidIn(i, i) {
			if s.person && s.scores[utterance.Problem] >= best && s.scores[utterance.Fixed] < s.scores[utterance.Problem] {
				best, reported = s.scores[utterance.Problem], k
			}
		}
		any := false
		for k, e := range a.eventsIn(i, i) {
			if e.failed {
				m := moment{i, e.message, k, -1}
				if !any {
					m.said = reported
				}
				out, any = append(out, m), true
			}
		}
		if reported >= 0 {
			out = append(out, moment{i, a.said[reported].message, -1, reported})
		}
	}
	return out, nil
}

// solved returns the evidence that a problem is solved: the next passing call of what failed, or a
// statement that it works. Another failure of it in between is the same problem.
func (a *conversationLog) solved(p moment) (moment, bool) {
	last := p.turn + lessonReach
	if p.event >= 0 {
		failed := &a.events[p.event]
		for k := p.event + 1; k < len(a.events) && a.events[k].turn <= last; k++ {
			if e := &a.events[k]; !e.failed && len(e.changed) == 0 && e.again(failed) && (e.command != failed.command || a.changedBetween(p, *e)) {
				return moment{e.turn, e.message, k, a.wordOn(e.turn, last)}, true
			}
		}
		if p.said < 0 {
			return moment{}, false
		}
	}
	for k, s := range a.saidIn(p.turn, last) {
		if !after(s.turn, s.message, p) || s.scores[utterance.Fixed] < fixedAt || s.scores[utterance.Problem] > s.scores[utterance.Fixed] {
			continue
		}
		return moment{s.turn, s.message, -1, k}, true
	}
	return moment{}, false
}

// changedBetween reports whether anything happened between a problem and a passing call: without a
// change the code was not the cause of the failure.
func (a *conversationLog) changedBetween(p moment, e event) bool {
	for k := p.event + 1; k < len(a.events); k++ {
		if c := a.events[k]; c.turn > e.turn || c.turn == e.turn && c.message >= e.message {
			break
		} else if len(c.changed) > 0 {
			return true
		}
	}
	for _, s := range a.saidIn(p.turn, e.turn) { // the change may only be described
		after := s.turn > p.turn || s.turn == p.turn && s.message > p.message
		if after && (s.turn < e.turn || s.turn == e.turn && s.message <= e.message) {
			return true
		}
	}
	return false
}

// wordOn returns the index of the statement that it works, in a turn or soon after; -1 without any.
func (a *conversationLog) wordOn(turn, last int) int {
	for k, s := range a.saidIn(turn, min(turn+1, last)) {
		if s.person && s.scores[utterance.Fixed] >= fixedAt {
			return k
		}
	}
	return -1
}

// lesson quotes what happened between a problem and its solution; nil when nothing shows how it was
// solved.
func (a *conversationLog) lesson(p, end moment, count func(string) int) *Item {
	l := lessonWriter{a: a, count: count}
	if p.said >= 0 {
		l.say(p.said)
	}
	if p.event >= 0 {
		l.lines(p.event, errorLines, saysWhy)
	}
	if len(l.quotations) == 0 {
		return nil
	}
	before := len(l.content)
	for _, e := range a.eventsIn(p.turn, end.turn) {
		if after(e.turn, e.message, p) && !after(e.turn, e.message, end) {
			for _, file := range e.changed {
				l.did(file)
			}
		}
	}
	l.causes(p, end)
	for _, file := range l.worked {
		l.add(file)
	}
	if end.event >= 0 {
		if e := a.events[end.event]; e.runs() {
			l.did(e.command)
		}
		if c := a.events[end.event].command; p.event >= 0 && c != a.events[p.event].command && len(c) < longestLine && !strings.Contains(c, "\n") {
			l.add(c)
		}
	}
	if end.said >= 0 {
		l.say(end.said)
	}
	if len(l.content) == before {
		return nil
	}
	return l.item(p, end)
}

// saysWhy reports whether a line of a failing call says what failed: it reports the failure of
// something in particular, or is about a line of a file, as linters write it.
func saysWhy(line string) bool {
	return isReason(line) && utterance.Rarity(line) >= particular || located.MatchString(line) && !isShown(line)
}

// located matches a line that tells about a line of a file.
var located = regexp.MustCompile(`^\s*[^\s:]+\.\w+:\d+`)

// particular is the rarity of a word that names something.
const particular = utterance.OrdinaryBelow

// exitLine matches a line that reports that a program failed, without a reason.
var exitLine = regexp.MustCompile(`(?i)^\W*((process )?exit(ed)?( with)? (code|status):? ?\d+|error:?|failed:?|errors?:?)\W*$`)

func after(turn, message int, m moment) bool {
	return turn > m.turn || turn == m.turn && message > m.message
}

// lessonWriter collects the lines of a lesson within its bounds.
type lessonWriter struct {
	a          *conversationLog
	count      func(string) int
	content    []string
	quotations []Quotation
	worked     []string // files that were changed, and the call that passed
	used       int
}

// did records what was done about the problem.
func (l *lessonWriter) did(what string) {
	if what != "" && len(what) < longestLine && !strings.Contains(what, "\n") && len(l.worked) < mostWorked && !slices.Contains(l.worked, what) {
		l.worked = append(l.worked, what)
	}
}

// add appends a line unless it is a duplicate or does not fit.
func (l *lessonWriter) add(line string) bool {
	line = strings.TrimSpace(line)
	n := l.count(line) + 1
	if line == "" || slices.Contains(l.content, line) || l.used+n > lessonTokens {
		return false
	}
	l.used += n
	l.content = append(l.content, line)
	return true
}

// quote appends a line that a person or a tool said, with its source.
func (l *lessonWriter) quote(turn, message int, line string) {
	line = strings.TrimSpace(line)
	if !l.add(line) || len(l.quotations) >= maxQuotations {
		return
	}
	t := l.a.talk[turn]
	m := t.Turn.Messages[message]
	l.quotations = append(l.quotations, Quotation{
		Conversation: t.Conversation, Turn: dialogue.TurnID(t.Turn.Number), Message: m.ID, Text: line, At: m.At.UTC(), Author: m.Author,
	})
}

// say appends a sentence. An assistant's is included in the text without being a quotation.
func (l *lessonWriter) say(k int) {
	s := l.a.said[k]
	if s.person {
		l.quote(s.turn, s.message, s.text)
	} else {
		l.add(s.text)
	}
}

// lines appends lines of a tool's answer.
func (l *lessonWriter) lines(k, most int, wanted func(string) bool) {
	e := l.a.events[k]
	for line := range strings.Lines(e.output) {
		if most == 0 {
			return
		}
		if wanted(line) && len(line) < longestLine {
			l.quote(e.turn, e.message, line)
			most--
		}
	}
}

// longestLine is the largest length in bytes of a quoted line of a tool's answer.
const longestLine = 400

// causes appends the findings in between, in order: where only people and the assistant speak of
// the problem, the sentences most like it, and where calls show it, what the person says, what
// names something of it, and the few words with a change or at the end.
func (l *lessonWriter) causes(p, end moment) {
	about := utterance.NewProfile(strings.Join(l.content, "\n"))
	named := particulars(slices.Concat(l.content, l.worked)...)
	type cause struct {
		k     int
		score float64
	}
	var list []cause
	for k, s := range l.a.saidIn(p.turn, end.turn) {
		if k == p.said || k == end.said || !after(s.turn, s.message, p) && (s.turn != p.turn || !s.person) ||
			s.person && after(s.turn, s.message, end) { // findings are often told last
			continue
		}
		if s.scores[utterance.Question] >= .5 || utterance.CountWords(s.text) < fewWords {
			continue
		}
		if p.event >= 0 && !s.person && !s.brief && !shares(particulars(s.text), named) {
			continue
		}
		score := about.Likeness(utterance.NewProfile(s.text)) + causeFixed*s.scores[utterance.Fixed] + causeProblem*s.scores[utterance.Problem]
		if slices.ContainsFunc(utterance.Terms(s.text), func(t utterance.Term) bool { return t.Code }) {
			score += causeCode
		}
		if s.person {
			score += causePerson
		}
		list = append(list, cause{k, score})
	}
	slices.SortStableFunc(list, func(x, y cause) int { return cmp.Or(cmp.Compare(y.score, x.score), y.k-x.k) })
	list = list[:min(causeLines, len(list))]
	slices.SortFunc(list, func(x, y cause) int { return x.k - y.k })
	for _, c := range list {
		l.say(c.k)
	}
}

// particulars returns the words of texts that name something, in lower case and without folders and
// endings of files.
func particulars(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for _, t := range utterance.Terms(text) {
			if t.Rarity < particular {
				continue
			}
			word := strings.ToLower(text[t.Start:t.End])
			word = word[strings.LastIndexByte(word, '/')+1:]
			if i := strings.IndexByte(word, '.'); i > 0 && t.Code {
				word = word[:i]
			}
			out[word] = true
		}
	}
	return out
}

func shares(a, b map[string]bool) bool {
	for word := range a {
		if b[word] {
			return true
		}
	}
	return false
}

// item returns the finished lesson.
func (l *lessonWriter) item(p, end moment) *Item {
	first := l.a.talk[p.turn]
	content := strings.Join(l.content, "\n")
	it := &Item{
		ID: makeID(string(Lesson), first.Conversation, dialogue.TurnID(first.Turn.Number), l.content[0]), Kind: Lesson, Content: content,
		Topics: []string{}, Weight: 1, Learned: true, Conversation: first.Conversation, Turn: first.Turn.Number, State: Candidate,
		Quotations: l.quotations, Worked: l.worked, Keywords: keywords(content, 12),
	}
	it.Title = lessonTitle(it)
	it.Topics = append(it.Topics, it.Keywords[:min(3, len(it.Keywords))]...)
	var at time.Time
	for _, t := range l.a.talk[p.turn : end.turn+1] {
		it.SourceTurns = append(it.SourceTurns, SourceTurn(t.Conversation, dialogue.TurnID(t.Turn.Number)))
		for _, m := range t.Turn.Messages {
			if m.ID != "" {
				it.MessageIDs = append(it.MessageIDs, m.ID)
			}
			if m.At.After(at) {
				at = m.At
			}
		}
	}
	it.CreatedAt, it.UpdatedAt = at.UTC(), at.UTC()
	return it
}
