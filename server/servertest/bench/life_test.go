//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// life is an invented year of a person's daily work: sessions with an assistant about services of a
// few projects, in several languages. The decisions and failures in them are known, so that
// questions about them can be asked.
type life struct {
	*speaker
	services []string
	people   []string
	open     []*affair // affairs in progress
	asked    []*affair // all, in order
	topical  map[[2]int]*affair
	done     int // sessions
}

// affair is a matter that one to four sessions are about.
type affair struct {
	service  string
	tongue   int
	about    [2]int // service and concern
	concern  *concern
	value    string
	sessions int // sessions still to come
	begun    bool
	month    int    // in which it was settled, from 1
	evidence string // the id of the message that settles it
	again    bool   // it changes an earlier decision
	replaced bool   // a later affair changed it
}

// lifeDays is the length of a life in days.
const lifeDays = 364

// newLife returns a life with the given number of sessions.
func newLife(seed uint64) *life {
	l := &life{speaker: newSpeaker(seed), topical: map[[2]int]*affair{}}
	seen := map[string]bool{}
	for len(l.services) < 60 {
		if name := l.rare() + "-" + []string{"gateway", "worker", "api", "store", "mailer", "sync"}[l.rand.IntN(6)]; !seen[name] {
			seen[name] = true
			l.services = append(l.services, name)
		}
	}
	for range 15 {
		name := l.rare()
		l.people = append(l.people, strings.ToUpper(name[:1])+name[1:])
	}
	return l
}

// session is a conversation.
type session struct {
	id       string
	at       time.Time
	messages []spoken
	bytes    int // of messages and of tools' arguments and results
}

// spoken is a message of a session, as the wire has it.
type spoken struct {
	message
	ToolCalls []tool `json:"toolCalls,omitempty"`
}

type tool struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	Result    string         `json:"result"`
	IsError   bool           `json:"isError,omitempty"`
}

// next makes the next session, which begins at a time.
func (l *life) next(at time.Time) session {
	l.now = at
	s := &session{id: fmt.Sprintf("work-%05d", l.done), at: at}
	l.done++
	a := l.affair()
	t := &tongues[a.tongue]
	turns := 5 + l.rand.IntN(14)
	settles := -1
	if a.sessions--; a.evidence == "" && (a.sessions == 0 || l.rand.IntN(2) == 0) {
		settles = 1 + l.rand.IntN(turns-2)
	}
	for i := range turns {
		switch {
		case i == 0 && !a.begun:
			a.begun = true
			l.work(s, t, a, fmt.Sprintf(a.concern.ask, a.service)+" "+l.line(t.opening, a))
		case i == 0:
			l.work(s, t, a, l.line(t.opening, a))
		case i == settles:
			l.settle(s, a)
		default:
			l.work(s, t, a, l.line(t.going, a)+" "+l.text(1, "."))
		}
	}
	return *s
}

// affair returns an affair in progress, or a new one.
func (l *life) affair() *affair {
	for i, a := range l.open {
		if a.sessions == 0 {
			l.open = append(l.open[:i:i], l.open[i+1:]...)
			break
		}
	}
	if len(l.open) > 6 || len(l.open) > 0 && l.rand.IntN(3) > 0 {
		if a := l.open[l.rand.IntN(len(l.open))]; a.sessions > 0 {
			return a
		}
	}
	service := l.rand.IntN(len(l.services))
	a := &affair{service: l.services[service], sessions: 1 + l.rand.IntN(4)}
	if l.rand.IntN(3) == 0 {
		a.tongue = 1 + l.rand.IntN(len(tongues)-1)
	}
	n := l.rand.IntN(len(tongues[a.tongue].concerns))
	a.concern, a.about = &tongues[a.tongue].concerns[n], [2]int{service, 100*a.tongue + n}
	a.value = fmt.Sprintf("%s-%d", l.rare(), 2+l.rand.IntN(90))
	if before := l.topical[a.about]; before != nil && before.evidence != "" {
		if a.concern.changed == "" {
			a.concern = &concern{ask: a.concern.ask, said: a.concern.said, agreed: a.concern.agreed, question: a.concern.question, failure: a.concern.failure}
		}
		before.replaced, a.again = true, true
	}
	l.topical[a.about] = a
	l.open, l.asked = append(l.open, a), append(l.asked, a)
	return a
}

func (l *life) line(list []string, a *affair) string {
	return fmt.Sprintf(list[l.rand.IntN(len(list))]+"%[3]s", a.service, l.rare(), "")
}

// say adds a message.
func (l *life) say(s *session, role, text string, calls ...tool) string {
	l.now = l.now.Add(time.Duration(20+l.rand.IntN(120)) * time.Second)
	m := spoken{message: message{ID: fmt.Sprintf("%s-%d", s.id, len(s.messages)), Role: role, Content: text, At: l.now.Format(time.RFC3339)}, ToolCalls: calls}
	s.bytes += len(text)
	for _, c := range calls {
		arguments, _ := json.Marshal(c.Arguments) // texts only
		s.bytes += len(c.Name) + len(arguments) + len(c.Result)
	}
	s.messages = append(s.messages, m)
	return m.ID
}

// work is a turn of everyday work: a request, tool calls, and a report.
func (l *life) work(s *session, t *tongue, a *affair, text string) {
	l.say(s, "user", text)
	path := fmt.Sprintf("%s/%s.go", a.service, l.rare())
	for range l.rand.IntN(3) {
		l.say(s, "assistant", l.line(t.working, a), l.call(path))
	}
	l.say(s, "assistant", l.line(t.working, a)+" "+l.text(4, "."))
}

// call is a tool call with its output: a file, or a test's output.
func (l *life) call(path string) tool {
	var b strings.Builder
	if l.rand.IntN(2) == 0 {
		for range 30 + l.rand.IntN(90) {
			fmt.Fprintf(&b, "\t%s.%s(%s, %d)\n", l.rare(), l.word(), l.rare(), l.rand.IntN(100))
		}
		return tool{Name: "Read", Arguments: map[string]any{"path": path}, Result: b.String()}
	}
	for range 3 + l.rand.IntN(10) {
		fmt.Fprintf(&b, "ok  \t%s/%s\t0.%03ds\n", l.rare(), l.rare(), l.rand.IntN(1000))
	}
	return tool{Name: "Bash", Arguments: map[string]any{"command": "go test ./" + path}, Result: b.String()}
}

// settle is the turn in which an affair is settled.
func (l *life) settle(s *session, a *affair) {
	said := a.concern.said
	if a.again && a.concern.changed != "" {
		said = a.concern.changed
	}
	if l.rand.IntN(2) == 0 { // otherwise the service was named earlier
		said = "%[1]s: " + said
	}
	if a.concern.failure != "" {
		l.say(s, "user", fmt.Sprintf(a.concern.ask, a.service))
		l.say(s, "assistant", "go test", tool{Name: "Bash", Arguments: map[string]any{"command": "make check-" + a.service}, Result: a.concern.failure, IsError: true})
		l.say(s, "assistant", l.text(2, "."))
	}
	a.evidence = l.say(s, "user", fmt.Sprintf(said+"%[3]s", a.service, a.value, ""))
	a.month = 1 + int(s.at.Sub(newSpeaker(0).now)/(30*24*time.Hour+10*time.Hour))
	l.say(s, "assistant", fmt.Sprintf(a.concern.agreed+"%[3]s", a.service, a.value, "")+" "+l.text(2, "."))
}

// of returns at most n affairs that were settled in a month and not changed since.
func (l *life) of(month, most int) (out []*affair) {
	for _, a := range l.asked {
		if a.month == month && !a.replaced && !a.again && len(out) < most {
			out = append(out, a)
		}
	}
	return out
}

// TestLife checks that a seed always makes the same life, and that the answers to its questions are
// in it.
func TestLife(t *testing.T) {
	texts := func(seed uint64) (all []string, l *life) {
		l = newLife(seed)
		at := newSpeaker(0).now
		for i := range 200 {
			s := l.next(at.Add(time.Duration(i) * 36 * time.Hour))
			for _, m := range s.messages {
				all = append(all, m.ID+" "+m.Content)
			}
		}
		return all, l
	}
	one, l := texts(1)
	two, _ := texts(1)
	if strings.Join(one, "\n") != strings.Join(two, "\n") {
		t.Error("one seed makes two lives")
	}
	settled := 0
	for _, a := range l.asked {
		if a.evidence == "" {
			continue
		}
		settled++
		found := false
		for _, text := range one {
			found = found || strings.HasPrefix(text, a.evidence+" ") && strings.Contains(text, a.value)
		}
		if !found {
			t.Fatalf("nobody said %s in %s", a.value, a.evidence)
		}
	}
	if settled < 50 || len(l.of(1, 100)) == 0 {
		t.Errorf("%d affairs are settled, %d in month 1", settled, len(l.of(1, 100)))
	}
}
