package level

import (
	"math"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// tier is the priority of a part of a turn: the person's words are kept before the answer, the
// answer before code, and code before tool output.
type tier byte

const (
	own    tier = iota // the person's words
	said               // what the assistant or the system said
	code               // lines of blocks and pastes, and what the host added
	called             // a tool call
	shown              // a line of tool output
	tiers
)

// ownLimit is the number of tokens of the person's words that S keeps whole regardless of their
// share of the turn. Words beyond it and beyond S's share are treated as a paste and shortened like
// the rest.
const ownLimit = 1500

// unit is a part of a turn that a level contains or omits as a whole.
type unit struct {
	text    string
	message int // index of its message
	tier    tier
	start   bool // it begins a line
	fence   bool // it is the fence of a block
	group   int  // shared by the units of one block or output, 0 for none
	settles bool
	fails   bool
	asks    bool
	idle    bool     // it is only idle talk
	closing bool     // it ends the last message and is of no consequence
	stake   float64  // how much depends on it, judging by its function: 0 to 1
	content float64  // how informative its words are: common words count little
	spans   []string // its sentences
	anchors []string // those that no earlier unit contains
	terms   []term
	cost    int    // tokens, including what joins it
	short   string // its text in C, "" means text itself
	brief   string // of a tool call: its text in S if dialogue needs the room
}

// term is a word that a unit is about.
type term struct {
	hash   uint32
	rarity float32
}

// draft is a turn on its way to a shorter level: its messages, split into units with what speaks
// for keeping each, before any is chosen.
type draft struct {
	o        Options
	messages []dialogue.Message
	units    []unit
	uses     map[uint32]int // of a term in dialogue: frequent terms are subjects of the turn
	found    anchors
	repeated [2]map[uint64]bool // texts of messages, lines of tool output
	groups   int
	calls    int
}

func newDraft(t dialogue.Turn, o Options) *draft {
	d := &draft{o: o, messages: t.Messages, found: anchors{seen: map[string]bool{}}, repeated: [2]map[uint64]bool{{}, {}}, uses: map[uint32]int{}}
	for i, m := range t.Messages {
		d.message(i, m)
	}
	for i := range d.units {
		u := &d.units[i]
		u.cost = o.count(u.text) + 1
		d.read(u)
	}
	for i := len(d.units) - 1; i > 0 && i >= len(d.units)-2; i-- {
		u := &d.units[i]
		if u.tier != said || len(u.anchors) > 0 || u.stake >= idleStake || u.group != 0 || d.units[i-1].message != u.message {
			break
		}
		u.closing = true
	}
	return d
}

// message splits one message into units.
func (d *draft) message(i int, m dialogue.Message) {
	before := len(d.units)
	if m.Role == dialogue.Tool {
		d.output(i, strings.Split(m.Content, "\n"))
	} else {
		d.content(i, m)
	}
	if len(d.units) > before {
		d.units[before].start = false // it follows the speaker
	}
	for _, c := range m.ToolCalls {
		d.calls++
		d.add(unit{text: callText(c), short: callStub(c), brief: callBrief(c), message: i, tier: called, start: true})
		if lines := resultLines(c.Result); len(lines) > 1 {
			d.output(i, lines)
		}
	}
	if m.Role == dialogue.Tool && len(m.ToolCalls) == 0 {
		d.calls++
	}
}

// RoleOf returns the role under which a message's words are read.
func RoleOf(m dialogue.Message) utterance.Role {
	if m.Role == dialogue.User {
		return utterance.Person
	}
	return utterance.Assistant
}

// content splits what a person or the assistant wrote into units.
func (d *draft) content(i int, m dialogue.Message) {
	role := RoleOf(m)
	t := said
	if role == utterance.Person {
		t = own
	}
	base := d.groups
	for _, p := range pieces(m.Content, role) {
		n := len(d.found.list)
		d.found.piece(p)
		found := d.found.list[n:len(d.found.list):len(d.found.list)]
		u := unit{text: oneSpaced(p.text), message: i, tier: t, start: p.start, spans: p.spans, anchors: found}
		switch {
		case p.source == utterance.Own || p.source == utterance.Document:
			if t == said && len(p.text) > 15 && d.repeats(0, p.text) && len(found) == 0 {
				continue
			}
			if p.pasted {
				u.tier = code
			}
			if p.chunk > 0 {
				u.group = base + p.chunk
				d.groups = max(d.groups, u.group)
			}
			u.settles, u.fails = settles(p.scores) && !p.pasted, Failure(p.text)
			u.asks = p.scores[utterance.Question] >= settledAt
			u.stake = stake(p.scores, role)
			d.add(u)
		case t == own && p.source == utterance.Quoted:
			d.add(u)
		default:
			d.block(u, strings.Split(p.text, "\n"), p.fenced)
		}
	}
}

// stake returns how much depends on a sentence. What a person wants weighs more than what an
// assistant offers.
func stake(s utterance.Scores, role utterance.Role) float64 {
	if role == utterance.Person {
		return max(s[utterance.Directive], s[utterance.Decision], s[utterance.Change], orderStake*s[utterance.Order],
			problemStake*s[utterance.Problem], fixedStake*s[utterance.Fixed], questionStake*s[utterance.Question])
	}
	return max(s[utterance.Decision], s[utterance.Change], reportStake*s[utterance.Fixed], reportStake*s[utterance.Problem],
		proposalStake*s[utterance.Proposal])
}

// block splits a block of lines in a message's content: a short one is a single unit, a long one
// has a unit for each line.
func (d *draft) block(of unit, lines []string, fenced bool) {
	if len(lines) <= shortBlock {
		of.text, of.start = strings.Join(lines, "\n"), true
		for _, l := range lines {
			of.fails = of.fails || Failure(l)
		}
		if of.tier != own {
			of.tier = code
		}
		d.add(of)
		return
	}
	d.groups++
	keep := keepOfPaste(lines, fenced)
	for j, l := range lines {
		if strings.TrimSpace(l) == "" || j >= headLines && j < len(lines)-tailLines && !keep[j] {
			continue
		}
		u := unit{text: clip(strings.TrimRight(l, " \t\r"), longestLine), message: of.message, tier: code, start: true, group: d.groups}
		u.fence = fenced && (j == 0 || j == len(lines)-1 && strings.Trim(strings.TrimSpace(l), "`~") == "")
		if keep[j] {
			u.text = strings.TrimRight(l, " \t\r")
			u.anchors, u.fails = []string{oneSpaced(strings.TrimPrefix(strings.TrimSpace(l), "$ "))}, problemAt(lines, j)
		}
		d.add(u)
	}
}

// output splits tool output into units.
func (d *draft) output(i int, lines []string) {
	d.groups++
	show, problem := outputLines(lines)
	for j, l := range show {
		if strings.TrimSpace(l) == "" || d.repeats(1, l) {
			continue
		}
		d.add(unit{text: strings.TrimRight(l, " \t\r"), message: i, tier: shown, start: true, group: d.groups, fails: problem[j]})
	}
}

func (d *draft) add(u unit) {
	if u.text != "" {
		d.units = append(d.units, u)
	}
}

// repeats reports whether a set already contains a text, and adds it.
func (d *draft) repeats(set int, s string) bool {
	if len(s) < 16 {
		return false
	}
	h := uint64(hashStart)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashBase
	}
	was := d.repeated[set][h]
	d.repeated[set][h] = true
	return was
}

// read collects the terms of a unit, without duplicates, and their weight.
func (d *draft) read(u *unit) {
	if u.tier >= called {
		return
	}
	seen := map[uint32]bool{}
	for _, t := range utterance.Terms(u.text) {
		w := u.text[t.Start:t.End]
		h := uint32(2166136261)
		n := 0
		for _, r := range w {
			if n++; n > stemRunes && !t.Code {
				break
			}
			h = (h ^ uint32(unicode.ToLower(r))) * 16777619
		}
		if u.tier <= said {
			d.uses[h]++
		}
		if !seen[h] {
			seen[h] = true
			u.terms = append(u.terms, term{h, float32(t.Rarity)})
			u.content += max(0, t.Rarity-commonTalk)
		}
	}
	u.idle = u.tier == said && len(u.spans) > 0 && len(u.anchors) == 0 && u.stake < idleStake && u.content < idleWords*float64(len(u.terms)+1)
}

// weight returns the weight of a term: it is higher the rarer the term is in general and the more
// often it is used in this draft.
func (d *draft) weight(t term) float64 {
	return max(leastSpecific, float64(t.rarity)-commonTalk) * 2 * (firstUse + math.Log(float64(max(1, d.uses[t.hash]))))
}
