package memory

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// inventor makes up days of work: what people and an assistant say about services, tables, tickets
// and each other, calls that fail and pass, and pasted logs. The same seed makes the same days.
type inventor struct {
	rnd   *rand.Rand
	words []string // names and other rare words
	at    time.Time
}

func newInventor(seed uint64) *inventor {
	v := &inventor{rnd: rand.New(rand.NewPCG(seed, 14)), at: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	for range 1200 {
		var b strings.Builder
		for range 2 + v.rnd.IntN(3) {
			b.WriteByte("bcdfghjklmnprstvwz"[v.rnd.IntN(18)])
			b.WriteByte("aeiou"[v.rnd.IntN(5)])
		}
		v.words = append(v.words, b.String()+string("dgklmnprtx"[v.rnd.IntN(10)]))
	}
	return v
}

// word returns one of the first n words, earlier ones more often.
func (v *inventor) word(most int) string {
	return v.words[int(float64(most)*v.rnd.Float64()*v.rnd.Float64())]
}

func (v *inventor) name() string {
	w := v.word(60)
	return strings.ToUpper(w[:1]) + w[1:]
}

func (v *inventor) sentence() string {
	pick := func(list ...string) string { return list[v.rnd.IntN(len(list))] }
	switch v.rnd.IntN(9) {
	case 0:
		return fmt.Sprintf("%s is our %s service, and %s owns it.", v.word(80), v.word(400), v.name())
	case 1:
		return fmt.Sprintf("We decided to use %s instead of %s for the %s.", v.word(200), v.word(200), v.word(600))
	case 2:
		return fmt.Sprintf("Why does the %s of %s %s when the %s restarts?", v.word(900), v.word(80), pick("hang", "fail", "wait"), v.word(300))
	case 3:
		return fmt.Sprintf("%s says that %s-%d is about the table %s_%s.", v.name(), pick("TIDE", "OPS", "WEB"), 100+v.rnd.IntN(400), v.word(200), v.word(200))
	case 4:
		return fmt.Sprintf("The %s crashes with an error in internal/%s/%s.go after the %s.", v.word(80), v.word(300), v.word(300), v.word(900))
	case 5:
		return fmt.Sprintf("Always run the %s before the %s is deployed to %s-%d.example.lan.", v.word(500), v.word(80), v.word(60), v.rnd.IntN(9))
	case 6:
		return fmt.Sprintf("That fixed it, the %s of the %s works again.", v.word(900), v.word(80))
	case 7:
		return fmt.Sprintf("%sは%sのサービスです。%sが担当しています。", v.word(60), v.word(60), pick("田中", "佐藤", "鈴木"))
	}
	return fmt.Sprintf("I moved the %s out of the %s, so that the %s sees each %s only once.", v.word(900), v.word(300), v.word(80), v.word(1200))
}

func (v *inventor) text(sentences int) string {
	list := make([]string, max(1, sentences/2+v.rnd.IntN(sentences+1)))
	for i := range list {
		list[i] = v.sentence()
	}
	return strings.Join(list, " ")
}

// talk makes the messages of a conversation of n turns.
func (v *inventor) talk(turns int) []dialogue.Message {
	var out []dialogue.Message
	add := func(m dialogue.Message) {
		v.at = v.at.Add(time.Minute)
		m.ID, m.At = fmt.Sprintf("m%d", v.at.Unix()), v.at
		out = append(out, m)
	}
	v.at = v.at.Add(6 * time.Hour)
	for range turns {
		text := v.text(3)
		if v.rnd.IntN(40) == 0 {
			text += "\n```\n" + strings.Repeat("2026-01-05 ERROR "+v.sentence()+"\n", 200) + "```\n"
		}
		add(dialogue.Message{Role: dialogue.User, Content: text, Author: v.name()})
		for range v.rnd.IntN(3) {
			output, failed := "ok\n", false
			if v.rnd.IntN(3) == 0 {
				output, failed = "--- FAIL: Test"+v.name()+"\nerror: "+v.sentence()+"\n", true
			}
			arguments, _ := json.Marshal(map[string]string{"command": "go test ./" + v.word(40)}) // strings: it cannot fail
			result, _ := json.Marshal(strings.Repeat(output, 1+v.rnd.IntN(30)))
			add(dialogue.Message{Role: dialogue.Assistant, Content: v.sentence(), ToolCalls: []dialogue.ToolCall{
				{Name: "bash", Arguments: arguments, Result: result, IsError: failed},
			}})
		}
		add(dialogue.Message{Role: dialogue.Assistant, Content: v.text(10)})
	}
	return out
}

// invented is a workspace with n invented conversations.
func invented(t testing.TB, m *Memory, conversations, turns int) *Workspace {
	t.Helper()
	w := workspace(t, m)
	end := m.Bulk()
	defer end()
	v := newInventor(1)
	for c := range conversations {
		for rest := v.talk(turns); len(rest) > 0; {
			n := min(len(rest), 500)
			if _, err := w.Append(Addition{Conversation: fmt.Sprint("c", c), Messages: rest[:n], Learn: true}); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
	}
	return w
}
