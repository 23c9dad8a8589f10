package rewrite

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/level"
)

//go:embed prompts/levels.txt
var levelsPrompt string

// The levels of a turn that a model is asked for, in the order in which the answer lists them.
const (
	smoothed = iota
	compressed
	tiny
	levelCount
)

var levelNames = [levelCount]string{"smoothed", "compressed", "tiny"}

// TurnTask asks a model for the levels of a turn.
type TurnTask struct {
	Request Request

	o     Options
	have  [levelCount]string
	keep  [levelCount][]string
	raw   string
	first int // the longest level asked for; longer ones stay as they are
}

// Turn returns the task of shortening a turn. have holds the levels made by rules: they bound the
// length of the model's levels and determine what these must keep. ok is false if there is nothing
// to ask for: the turn is so short that nothing was left out of it, or too long for a model. Of a
// long turn only the shorter levels are requested, based on the longer ones.
func Turn(t dialogue.Turn, have level.Levels, o Options) (task TurnTask, ok bool) {
	raw := level.RawText(t)
	task = TurnTask{o: o, have: [levelCount]string{have.S, have.C, have.T}, raw: raw}
	if !task.worth() {
		return TurnTask{}, false
	}
	anchors := anchorsOf(t)
	for i, text := range task.have {
		task.keep[i] = kept(anchors, text)
	}
	for _, try := range []struct {
		shown string
		first int
	}{{raw, smoothed}, {raw, compressed}, {have.S, compressed}, {have.C, tiny}} {
		if task.first = try.first; task.have[task.first] == raw {
			continue
		}
		if task.Request, ok = task.request(t.Number, try.shown); ok {
			return task, true
		}
	}
	return TurnTask{}, false
}

// Worth reports whether a model could improve on the levels that rules made of a turn's raw text.
func Worth(raw string, have level.Levels) bool {
	t := TurnTask{raw: raw, have: [levelCount]string{have.S, have.C, have.T}}
	return t.worth()
}

// leastTurn is the smallest size in bytes of a turn for which a model is asked: below it there is
// nothing to shorten.
const leastTurn = 160

func (t *TurnTask) worth() bool {
	return len(t.raw) >= leastTurn && t.have[tiny] != t.raw && t.have[tiny] != ""
}

// anchorsOf returns the anchors of a turn's dialogue and the names of the tools that were called.
func anchorsOf(t dialogue.Turn) []string {
	var list []string
	for _, m := range t.Messages {
		list = append(list, level.Anchors(m.Content, level.RoleOf(m))...)
		for _, c := range m.ToolCalls {
			list = append(list, c.Name)
		}
	}
	return list
}

// kept returns the anchors that a text contains, without duplicates.
func kept(anchors []string, text string) []string {
	gone := map[string]bool{}
	for _, a := range level.Missing(anchors, text) {
		gone[a] = true
	}
	var list []string
	for _, a := range anchors {
		if !gone[a] {
			gone[a] = true
			list = append(list, a)
		}
	}
	return list
}

// request returns the request for the levels from the first one on, based on what is shown of the
// turn.
func (t *TurnTask) request(number int, shown string) (Request, bool) {
	var b strings.Builder
	most := 0
	b.WriteString("Fields:\n")
	for i := t.first; i < levelCount; i++ {
		tokens := t.o.Count(t.have[i])
		most += tokens
		fmt.Fprintf(&b, "- %q: at most %d words; keep %s\n", levelNames[i], words(tokens), t.o.keepList(t.keep[i], keepTokens/(i-t.first+1)))
	}
	b.WriteString("\n")
	b.WriteString(t.o.Block(dialogue.Tag(number, dialogue.Raw), shown))
	return t.o.request(levelsPrompt, b.String(), objectSchema(levelNames[t.first:]...), most, levelCount-t.first)
}

// Read returns the levels of an answer that may replace those made by rules. A level that may not
// is "", and err says why. If none may, Read returns the zero value and an error.
func (t *TurnTask) Read(answer string) (got level.Levels, err error) {
	var in struct {
		S string `json:"smoothed"`
		C string `json:"compressed"`
		T string `json:"tiny"`
	}
	if err := read(answer, &in); err != nil {
		return got, err
	}
	out := [levelCount]string{}
	shorter := 0 // tokens of the next shorter level, as it will be stored
	for i := levelCount - 1; i >= 0; i-- {
		if i >= t.first {
			text, bad := t.level(i, [levelCount]string{in.S, in.C, in.T}[i], shorter)
			if bad != nil && err == nil {
				err = fmt.Errorf("%s %w", levelNames[i], bad)
			}
			out[i] = text
		}
		if out[i] != "" {
			shorter = t.o.Count(out[i])
		} else {
			shorter = t.o.Count(t.have[i])
		}
	}
	return level.Levels{S: out[smoothed], C: out[compressed], T: out[tiny]}, err
}

// level checks one level. shorter is the number of tokens of the next shorter level, which this one
// must not fall below.
func (t *TurnTask) level(i int, text string, shorter int) (string, error) {
	text, err := t.o.text(text, check{source: t.raw, keep: t.keep[i], most: t.o.Count(t.have[i]), line: i == tiny})
	if err == nil && t.o.Count(text) < shorter {
		return "", errOrder
	}
	return text, err
}

// objectSchema returns the schema of an object with string fields, all of which are required.
func objectSchema(names ...string) []byte {
	var props []string
	for _, n := range names {
		props = append(props, fmt.Sprintf(`%q:{"type":"string"}`, n))
	}
	return []byte(`{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":` + plainJSON(names) + `,"additionalProperties":false}`)
}
