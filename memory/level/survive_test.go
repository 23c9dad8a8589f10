package level

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// expectation is a text that a level of a turn must contain, as one of several. Level is '!' if no
// level may contain it.
type expectation struct {
	level byte
	texts []string
}

type example struct {
	name string
	turn dialogue.Turn
	want []expectation
}

// examples reads testdata/turns.txt.
func examples(t *testing.T) []example {
	t.Helper()
	data, err := os.ReadFile("testdata/turns.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n\n")
	var out []example
	for part := range strings.SplitSeq("\n"+text, "\n== ") {
		if strings.TrimSpace(part) != "" {
			out = append(out, readExample(part))
		}
	}
	return out
}

func readExample(text string) example {
	name, text, _ := strings.Cut(text, "\n")
	e := example{name: name, turn: dialogue.Turn{Number: 1}}
	into := &strings.Builder{} // continuation lines
	finish := func() {}
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch head, rest, _ := strings.Cut(line, " "); {
		case head == "user:" || head == "assistant:" || head == "tool:":
			finish()
			e.turn.Messages = append(e.turn.Messages, dialogue.Message{Role: dialogue.Role(strings.TrimSuffix(head, ":"))})
			m := &e.turn.Messages[len(e.turn.Messages)-1]
			into = &strings.Builder{}
			b := into
			finish = func() { m.Content = strings.TrimSpace(b.String()) }
			into.WriteString(rest + "\n")
		case head == "call" || head == "fails":
			finish()
			m := &e.turn.Messages[len(e.turn.Messages)-1]
			tool, args, _ := strings.Cut(rest, " ")
			m.ToolCalls = append(m.ToolCalls, dialogue.ToolCall{Name: tool, Arguments: json.RawMessage(args), IsError: head == "fails"})
			c := &m.ToolCalls[len(m.ToolCalls)-1]
			into = &strings.Builder{}
			b := into
			finish = func() { c.Result = quoted(strings.TrimSuffix(b.String(), "\n")) }
		case head == "result:":
			into.WriteString(rest + "\n")
			last = rest
		case head == "S>" || head == "C>" || head == "T>" || head == "!":
			e.want = append(e.want, expectation{head[0], strings.Split(rest, " | ")})
		case strings.HasPrefix(line, "*") && !strings.Contains(line, " "):
			for i := range atoi(line[1:]) {
				into.WriteString(strings.ReplaceAll(last, "#", strconv.Itoa(i)) + "\n")
			}
		default:
			into.WriteString(line + "\n")
			last = line
		}
	}
	finish()
	return e
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s) // strings encode
	return b
}

// TestSurvivors checks that the important parts of a turn are in its levels, and that nothing in
// them says the opposite.
func TestSurvivors(t *testing.T) {
	var held, all [256]int
	var tokens [4]int
	for _, e := range examples(t) {
		l := Turn(e.turn, Options{Count: wordish})
		raw := RawText(e.turn)
		for i, text := range []string{raw, l.S, l.C, l.T} {
			tokens[i] += wordish(text)
		}
		for _, w := range e.want {
			text := map[byte]string{'S': l.S, 'C': l.C, 'T': l.T, '!': l.S + "\n" + l.C + "\n" + l.T}[w.level]
			found := false
			for _, one := range w.texts {
				found = found || strings.Contains(text, one)
			}
			all[w.level]++
			if found == (w.level == '!') {
				t.Logf("%s: %c: %q in\n%s", e.name, w.level, w.texts, text)
				continue
			}
			held[w.level]++
		}
	}
	t.Logf("held: S %d of %d, C %d of %d, T %d of %d, inverted 0: %d of %d", held['S'], all['S'], held['C'], all['C'], held['T'], all['T'], held['!'], all['!'])
	if held['S']*100 < all['S']*97 || held['C']*100 < all['C']*90 || held['T'] < all['T'] || held['!'] < all['!'] {
		t.Error("too much is lost")
	}
	t.Logf("of R's tokens: S %.2f, C %.2f, T %.2f", float64(tokens[1])/float64(tokens[0]), float64(tokens[2])/float64(tokens[0]), float64(tokens[3])/float64(tokens[0]))
}
