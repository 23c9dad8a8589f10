package arc

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/extract"
)

// mostRead bounds what is read of one message: beyond it stands what somebody pasted.
const mostRead = 64 << 10

// Note reads a turn. Tool messages, reasoning and code say nothing about decisions and questions.
func Note(t dialogue.Turn) Notes {
	n := Notes{Turn: t.Number}
	r := turnReader{notes: &n}
	for _, m := range t.Messages {
		switch m.Role {
		case dialogue.User:
			r.user(sentences(m.Content))
		case dialogue.Assistant:
			r.other(sentences(m.Content))
		}
	}
	n.Questions = r.open
	if len(n.Questions) > mostQuestions {
		n.Questions = n.Questions[len(n.Questions)-mostQuestions:]
	}
	n.Names = r.topNames()
	for i := range n.Decisions {
		n.Decisions[i].know()
	}
	if n.Proposal != nil {
		n.Proposal.know()
	}
	slices.Sort(n.Users.Terms)
	slices.Sort(n.Others.Terms)
	return n
}

func sentences(text string) []string {
	if len(text) > mostRead {
		text = strings.ToValidUTF8(text[:mostRead/2]+"\n"+text[len(text)-mostRead/2:], "")
	}
	list := extract.Sentences(text)
	return slices.DeleteFunc(list, func(s string) bool {
		return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") || strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "    ") ||
			strings.HasPrefix(strings.TrimSpace(s), ">")
	})
}

// turnReader is the state of reading one turn.
type turnReader struct {
	notes *Notes
	open  []Asked
	names []string
	uses  map[string]int
	user1 bool // the user's first message was read
	last  bool // their last question stands at the end of their message
}

// user reads a message of the person.
func (r *turnReader) user(list []string) {
	n := r.notes
	first := !r.user1
	r.user1 = true
	statements := 0
	for i, s := range list {
		r.name(s, 3)
		if q, ok := asked(s, before(list, i)); ok {
			r.open = append(r.open, q)
			r.last = i >= len(list)-2
			r.offered(s)
			continue
		}
		if strings.HasSuffix(strings.TrimRight(s, ` ")'*_`), "?") {
			r.offered(s)
			continue
		}
		if statements == 0 && first {
			yes, firm := agreement(s)
			n.Confirms = yes && (firm || len(list) == 1)
			n.Refuses = refusal(s)
			n.Users.Direct = direct(s) && (len(list) <= 2 || !strings.HasSuffix(strings.TrimSpace(s), ":"))
			n.Users.Defers = defers(s)
			n.Users.Orders = ordered(strings.ToLower(s))
		} else if yes, firm := agreement(s); first && i == 1 && yes && firm && !n.Refuses {
			n.Confirms = true
		}
		if statements == 0 && first && strings.Count(s, " ") < longestPick {
			n.Pick = cut(clean(s))
			n.Named = named(n.Pick)
		}
		statements++
		r.say(&n.Users, s)
		n.Undoes = n.Undoes || undoes(s)
		if undecided(s) {
			r.doubt(s, before(list, i))
		} else if asksOthers(s) {
			r.own(s)
		} else if c, ok := extract.Decide(s); ok && !r.has(c.Text) {
			r.decide(c, false)
		}
	}
	if n.Intent == "" || first {
		n.Intent = intentOf(list)
	}
}

// offered keeps the alternatives of the person's own question.
func (r *turnReader) offered(s string) {
	if o := alternatives(s); o != nil {
		r.notes.Options = o
	}
}

// other reads a message of the assistant: what it answers, what it decides, what it asks back.
func (r *turnReader) other(list []string) {
	n := r.notes
	if o := options(list); o != nil {
		n.Options = o
	}
	statements, asks := 0, 0
	said, all := Utterances{}, map[uint32]bool{}
	for i, s := range list {
		r.name(s, 1)
		late := len(list)-i <= 4
		if p, ok := proposal(s); ok {
			n.Proposal = &p
		}
		if q, ok := asked(s, before(list, i)); ok {
			if late && addressed(s) && !answered(list[i+1:]) {
				q.ToUser = true
				asks++
				r.open = append(r.open, q)
			}
			continue
		}
		if strings.HasSuffix(strings.TrimRight(s, ` ")'*_`), "?") {
			continue
		}
		if statements == 0 {
			said.Direct = direct(s)
		}
		said.Defers = said.Defers || defers(s)
		statements++
		r.say(&said, s)
		extract.Terms(s, func(t uint32) { all[t] = true })
		if c, ok := extract.Decide(s); ok && !c.Order && (!c.Mild && !isLets(c.Text) || len(c.Rejected) > 0) && !r.has(c.Text) {
			r.decide(c, true)
		}
	}
	if statements > 0 {
		r.close(said, all, list)
		n.Others.Direct = n.Others.Direct || said.Direct
		n.Others.Defers = n.Others.Defers || said.Defers
		for _, t := range said.Terms {
			addTerm(&n.Others.Terms, t)
		}
	}
}

// before is the sentence before the i-th.
func before(list []string, i int) string {
	if i == 0 {
		return ""
	}
	return list[i-1]
}

func isLets(s string) bool {
	low := strings.ToLower(s)
	return strings.HasPrefix(low, "let's") || strings.HasPrefix(low, "let’s") || strings.HasPrefix(low, "lets ") || strings.Contains(low, " let's ")
}

// answered reports whether what follows a question says more than a courtesy: then the assistant put it to itself.
func answered(rest []string) bool {
	n := 0
	for _, s := range rest {
		if strings.HasSuffix(strings.TrimRight(s, ` ")'*_`), "?") || strings.HasPrefix(strings.ToLower(s), "let me know") {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(s), "- ") || strings.Contains(s, " or ") || strings.Contains(strings.ToLower(s), "if you") || strings.Contains(strings.ToLower(s), "i can ") {
			continue // the options it gives
		}
		n++
	}
	return n > 1
}

// close takes the questions of the person that a reply with these terms answers off the list.
func (r *turnReader) close(reply Utterances, terms map[uint32]bool, list []string) {
	alone := 0
	for _, q := range r.open {
		if !q.ToUser {
			alone++
		}
	}
	r.open = slices.DeleteFunc(r.open, func(q Asked) bool {
		if q.ToUser {
			return false
		}
		n := 0
		for _, t := range q.Terms {
			if terms[t] {
				n++
			}
		}
		if reply.Defers {
			return n >= q.far() && n > q.near()+1
		}
		return n >= q.near() || alone == 1 && (reply.Direct || advised(q.Text, list) || r.last && !compound(q.Text) && !reports(list))
	})
}

func (r *turnReader) say(u *Utterances, s string) {
	if defers(s) {
		return
	}
	extract.Terms(s, func(t uint32) { addTerm(&u.Terms, t) })
}

func addTerm(list *[]uint32, t uint32) {
	if len(*list) < mostTerms && !slices.Contains(*list, t) {
		*list = append(*list, t)
	}
}

func (r *turnReader) has(text string) bool {
	return slices.ContainsFunc(r.notes.Decisions, func(d Stated) bool { return strings.EqualFold(d.Text, cut(text)) })
}

func (r *turnReader) decide(c extract.Choice, byOther bool) {
	if len(r.notes.Decisions) == mostDecisions {
		return
	}
	r.notes.Decisions = append(r.notes.Decisions, Stated{Text: cut(clean(c.Text)), Chosen: c.Chosen, Rejected: c.Rejected, Subject: c.Subject, Change: c.Change, ByOther: byOther})
}

// name counts the paths and identifiers of a sentence.
func (r *turnReader) name(s string, weight int) {
	if len(r.names) > 400 {
		return
	}
	extract.Names(s, func(name string) {
		if len(name) > 80 || strings.Contains(name, " ") {
			return
		}
		if r.uses == nil {
			r.uses = map[string]int{}
		}
		if r.uses[name] == 0 {
			r.names = append(r.names, name)
		}
		r.uses[name] += weight
	})
}

func (r *turnReader) topNames() []string {
	slices.SortStableFunc(r.names, func(a, b string) int { return r.uses[b] - r.uses[a] })
	return r.names[:min(len(r.names), mostNames)]
}

// intentOf is the sentence of the person's message that says what they want: a request or a question before a
// statement, no courtesy and no bare agreement. It is "" where there is none.
func intentOf(list []string) string {
	best, score := "", 0
	for i, s := range list {
		t := clean(s)
		terms := len(termsOf(t, 12))
		yes, _ := agreement(t)
		if terms == 0 || yes && terms < 4 || oneOf(bare(t), social) || strings.HasSuffix(t, "?") && tagged(bare(t)) {
			continue
		}
		p := min(terms, 6) + max(3-i, 0)
		if strings.HasSuffix(t, "?") {
			p += 3
		}
		if terms < 2 {
			p -= 4
		}
		if best == "" || p > score {
			best, score = t, p
		}
	}
	return cut(best)
}
