package extract

import (
	"math"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// tier is how long a part of a turn is kept: the person's words before the answer, the answer before code, code before
// what tools printed.
type tier byte

const (
	own    tier = iota // the person's words
	said               // what the assistant or the system said
	code               // lines of blocks and pastes
	called             // a tool call
	shown              // a line of tool output
	tiers
)

// ownLimit is how many tokens of the person's words stand whole in S whatever their share. Beyond it, and beyond S's
// share of the turn, they are a paste and are shortened like the rest.
const ownLimit = 1500

// unit is a part of a turn that a level has or has not.
type unit struct {
	text    string
	message int // index of its message
	tier    tier
	start   bool // it begins a line
	fence   bool // it is the fence of a block
	group   int  // units of one block or output have one number, 0 for none
	decides bool
	fails   bool
	anchors []string // those that no earlier unit has
	terms   []uint32 // each once
	cost    int      // tokens with what joins it
	short   string   // what stands for it in C, "" for text itself
	brief   string   // of a tool call: what stands for it in S where dialogue needs the room
}

// draft is a run of messages taken apart.
type draft struct {
	o        Options
	messages []dialogue.Message
	units    []unit
	weight   map[uint32]float64 // of a term: the more often it is used, the more the turn is about it
	found    anchors
	repeated [2]map[uint64]bool // texts that were said, lines that tools printed
	groups   int
	calls    int
}

func newDraft(t dialogue.Turn, o Options) *draft {
	d := &draft{o: o, messages: t.Messages, found: anchors{seen: map[string]bool{}}, repeated: [2]map[uint64]bool{{}, {}}}
	for i, m := range t.Messages {
		d.message(i, m)
	}
	for i := range d.units {
		d.units[i].cost = o.count(d.units[i].text) + 1
	}
	d.weigh()
	return d
}

// message takes one message apart.
func (d *draft) message(i int, m dialogue.Message) {
	before := len(d.units)
	if m.Role == dialogue.Tool {
		d.output(i, strings.Split(m.Content, "\n"))
	} else {
		d.content(i, m)
	}
	if len(d.units) > before {
		d.units[before].start = false // it stands behind the speaker
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

// content takes what a person or the assistant wrote apart.
func (d *draft) content(i int, m dialogue.Message) {
	t := said
	if m.Role == dialogue.User {
		t = own
	}
	ps := pieces(m.Content)
	for j := 0; j < len(ps); j++ {
		switch p := ps[j]; p.kind {
		case block:
			d.block(i, t, strings.Split(p.text, "\n"), true)
		case output:
			lines := []string{p.text}
			for ; j+1 < len(ps) && ps[j+1].kind == output; j++ {
				lines = append(lines, ps[j+1].text)
			}
			d.block(i, t, lines, false)
		default:
			if t == said && len(ps) > 1 && (isFiller(p.text) || d.repeats(0, p.text)) {
				continue
			}
			u := unit{text: oneSpaced(p.text), message: i, tier: t, start: p.start}
			n := len(d.found.list)
			d.found.sentence(p.text)
			u.anchors = d.found.list[n:len(d.found.list):len(d.found.list)]
			_, u.decides = Decide(p.text)
			u.fails = Problem(p.text)
			d.add(u)
		}
	}
}

// block takes a fenced block or a run of output lines in a message's content apart: one unit when it is short, each
// line one when it is long.
func (d *draft) block(i int, t tier, lines []string, fenced bool) {
	n := len(d.found.list)
	d.found.block(lines, fenced)
	found := d.found.list[n:len(d.found.list):len(d.found.list)]
	if len(lines) <= shortBlock {
		text := strings.Join(lines, "\n")
		u := unit{text: text, message: i, tier: code, start: true, anchors: found}
		for _, l := range lines {
			u.fails = u.fails || Problem(l)
		}
		if t == own {
			u.tier = own
		}
		d.add(u)
		return
	}
	d.groups++
	keep := keepOfPaste(lines, fenced)
	for j, l := range lines {
		if strings.TrimSpace(l) == "" || j >= headLines && j < len(lines)-tailLines && !keep[j] {
			continue
		}
		u := unit{text: clip(strings.TrimRight(l, " \t\r"), longestLine), message: i, tier: code, start: true, group: d.groups}
		u.fence = fenced && (j == 0 || j == len(lines)-1 && strings.Trim(strings.TrimSpace(l), "`~") == "")
		if keep[j] {
			u.text = strings.TrimRight(l, " \t\r")
			a := oneSpaced(strings.TrimPrefix(strings.TrimSpace(l), "$ "))
			u.anchors, u.fails = []string{a}, Problem(l)
		}
		d.add(u)
	}
}

// output takes what a tool printed apart.
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

// repeats reports whether the same text was there before in a set, and remembers it.
func (d *draft) repeats(set int, s string) bool {
	if len(s) < 16 {
		return false
	}
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	was := d.repeated[set][h]
	d.repeated[set][h] = true
	return was
}

// weigh finds the terms of the units and how much each says: the logarithm of its uses among what was said.
func (d *draft) weigh() {
	uses := map[uint32]int{}
	for i := range d.units {
		u := &d.units[i]
		seen := map[uint32]bool{}
		Terms(u.text, func(term uint32) {
			if u.tier <= said {
				uses[term]++
			}
			if !seen[term] {
				seen[term] = true
				u.terms = append(u.terms, term)
			}
		})
	}
	d.weight = make(map[uint32]float64, len(uses))
	for term, n := range uses {
		d.weight[term] = 0.5 + math.Log1p(float64(n))
	}
}

// fillers begin sentences that say nothing.
var fillers = []string{"sure", "certainly", "of course", "great question", "good question", "absolutely", "happy to", "i'd be happy", "i would be happy",
	"i'll be happy", "let me know", "feel free", "hope this", "hope that", "i hope", "you're welcome", "thanks", "thank you", "no problem", "sounds good",
	"got it", "understood", "i understand", "great!", "great,", "great.", "perfect", "i see", "as an ai", "is there anything else", "i apologize", "sorry for",
	"sorry about", "you're absolutely right", "you're right", "no worries", "awesome", "excellent", "nice!", "hello", "hi!", "hi there", "hey", "alright",
	"okay!", "okay.", "ok.", "here you go", "good luck", "if you have any", "would you like me to explain", "done!", "my pleasure", "let me take a look",
	"let me look", "let me check", "i'll take a look"}

// isFiller tells a sentence of politeness: short, with such a beginning, and no anchor in it.
func isFiller(s string) bool {
	if len(s) > 110 || strings.Count(s, " ") > 14 {
		return false
	}
	low := strings.ReplaceAll(strings.ToLower(s), "’", "'")
	for _, f := range fillers {
		if !strings.HasPrefix(low, f) || len(low) > len(f) && wordByte(low[len(f)]) {
			continue
		}
		terms := 0
		Terms(s, func(uint32) { terms++ })
		anchored := false
		inline(s, func(string) { anchored = true })
		_, decides := Decide(s)
		return !anchored && !decides && (terms < 4 || len(f) > 9) && !strings.Contains(low, " but ") && !strings.Contains(low, ": ")
	}
	return false
}
