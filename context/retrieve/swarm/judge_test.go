package swarm

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// shelf are two lessons, a reference, two pieces of code and one that the prompt names.
func shelf() []item.Item {
	return []item.Item{
		{Kind: "lesson", Title: "Close what was opened", Body: "…", Tokens: 90},
		{Kind: "lesson", Title: "Sort before comparing", Body: "…", Tokens: 70},
		{Kind: "reference", Title: "How the store is laid out", Body: "…", Tokens: 400},
		{Kind: "code", Path: "store/open.go", Body: "func Open() {}", Tokens: 60},
		{Kind: "code", Path: "store/sort.go", Body: "func Sort() {}", Tokens: 50},
		{Kind: "code", Path: "store/close.go", Body: "func Close() {}", Tokens: 40, Named: true},
	}
}

// letters writes a format as its first letter, upper case for the board; "-" is left out.
func letters(verdicts []Verdict) string {
	out := ""
	for _, v := range verdicts {
		c := "-"
		if v.Format != "" {
			c = string(v.Format[0])
		}
		if v.Board {
			c = strings.ToUpper(c)
		}
		out += c
	}
	return out
}

func TestJudgeAnswers(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         string // "" falls back
		unknown      uint64
	}{
		{"some", `{"full":[1,4],"summary":[3],"tickler":[2],"board":[3]}`, "ftSf-f", 0},
		{"named stays", `{"full":[4],"summary":[],"tickler":[],"board":[]}`, "---f-f", 0},
		{"named shortened", `{"full":[],"summary":[6],"tickler":[],"board":[]}`, "-----s", 0},
		{"in two formats", `{"full":[4],"summary":[4,5],"tickler":[4,5],"board":[]}`, "---fsf", 0},
		{"board for what is left out", `{"full":[4],"summary":[],"tickler":[],"board":[1,2]}`, "---f-f", 0},
		{"board for code", `{"full":[1,4],"summary":[],"tickler":[],"board":[1,4]}`, "F--f-f", 0},
		{"unknown", `{"full":[4,7,0],"summary":[-1],"tickler":[99],"board":[8]}`, "---f-f", 5},
		{"only unknown", `{"full":[7],"summary":[],"tickler":[],"board":[1]}`, "", 1},
		{"nothing", `{"full":[],"summary":[],"tickler":[],"board":[]}`, "", 0},
		{"text", `I choose 1 and 4`, "", 0},
		{"cut", `{"full":[1,4`, "", 0},
		{"other form", `{"keep":[1,2]}`, "", 0},
		{"wrong types", `{"full":"all"}`, "", 0},
		{"null", `null`, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSwarm(t, &scripted{identity: "m", answer: saying(c.answer)}, Options{})
			got := s.Judge(t.Context(), "close the store", shelf(), Room{800, 500})
			if letters(got.Verdicts) != c.want {
				t.Errorf("judges %s, want %s", letters(got.Verdicts), c.want)
			}
			if c.want == "" && (got.Verdicts != nil || got.Outcome != "fallback" || len(got.Degraded) != 1 || got.Degraded[0].Reason != "badAnswer") {
				t.Errorf("falls back as %+v", got)
			}
			if c.want != "" && (got.Outcome != "ok" || len(got.Degraded) > 0) {
				t.Errorf("ends with %+v", got)
			}
			if _, stats := s.Stats(); stats.Unknown != c.unknown || stats.Asked != 1 || stats.Kept+stats.Dropped+stats.Unchecked != 6 {
				t.Errorf("counts %+v", stats)
			}
		})
	}
}

// TestJudgeMany checks that with more items than fit in a question, those not shown stay as they
// are.
func TestJudgeMany(t *testing.T) {
	chat := &scripted{identity: "m", answer: saying(`{"full":[1],"summary":[],"tickler":[],"board":[]}`)}
	got := newSwarm(t, chat, Options{}).Judge(t.Context(), "what", things(60), Room{})
	if want := "f" + strings.Repeat("-", judgeMost-1) + strings.Repeat("f", 60-judgeMost); letters(got.Verdicts) != want {
		t.Errorf("judges %s", letters(got.Verdicts))
	}
	if n := len(chat.all[0].lines); n != judgeMost {
		t.Errorf("shows %d", n)
	}
}

// TestJudgeSees checks that the judge is sent sizes and room.
func TestJudgeSees(t *testing.T) {
	chat := &scripted{identity: "m", answer: saying(`{}`)}
	newSwarm(t, chat, Options{}).Judge(t.Context(), "close the store", shelf(), Room{801, 502})
	q := chat.all[0]
	if !strings.Contains(q.prompt, "holds 801 tokens, the board 502") || q.request != "close the store" || q.lines[2].Tokens != 400 || q.lines[2].Kind != "reference" {
		t.Errorf("is asked %s", q.prompt)
	}
}

func TestJudgeFails(t *testing.T) {
	for _, c := range []struct {
		kind    ollama.Kind
		reason  item.Reason
		outcome item.Outcome
	}{
		{ollama.Unreachable, "unreachable", "fallback"}, {ollama.ModelMissing, "modelMissing", "fallback"},
		{ollama.Overloaded, "overloaded", "fallback"}, {ollama.TooLong, "error", "fallback"}, {ollama.Timeout, "timeout", "timeout"},
	} {
		chat := &scripted{identity: "m", answer: func(context.Context, asked) (string, error) { return "", &ollama.Error{Kind: c.kind, Op: "chat"} }}
		got := newSwarm(t, chat, Options{}).Judge(t.Context(), "what", shelf(), Room{})
		if got.Verdicts != nil || got.Outcome != c.outcome || len(got.Degraded) != 1 || got.Degraded[0].Reason != c.reason || got.Degraded[0].Stage != "judge" {
			t.Errorf("%v: %+v", c.kind, got)
		}
	}
}

func TestJudgeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &scripted{identity: "m", answer: func(ctx context.Context, _ asked) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}}
		s := newSwarm(t, chat, Options{})
		ctx, cancel := Within(t.Context(), time.Second, .2, .05)
		defer cancel()
		start := time.Now()
		got := s.Judge(ctx, "what", shelf(), Room{})
		if took := time.Since(start); took != 200*time.Millisecond || got.Verdicts != nil || got.Outcome != "timeout" || s.memo.Len() != 0 {
			t.Errorf("takes %v: %+v", took, got)
		}
	})
}

// TestWithin checks that a stage leaves the time that the later ones need.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			left, deadline time.Duration // left of the whole, 0 for no limit
			want           time.Duration
		}{
			{0, time.Second, 500 * time.Millisecond}, {0, 0, 500 * time.Millisecond}, {time.Second, time.Second, 500 * time.Millisecond},
			{600 * time.Millisecond, time.Second, 350 * time.Millisecond}, {200 * time.Millisecond, time.Second, -50 * time.Millisecond},
		} {
			ctx, cancelWhole := t.Context(), func() {}
			if c.left > 0 {
				ctx, cancelWhole = context.WithTimeout(ctx, c.left)
			}
			ctx, cancel := Within(ctx, c.deadline, .5, .25)
			at, _ := ctx.Deadline()
			if got := time.Until(at); got != c.want {
				t.Errorf("%v left of %v: %v", c.left, c.deadline, got)
			}
			cancel()
			cancelWhole()
		}
	})
}

// TestJudgeNoModel checks that without a model there is no request and no degradation.
func TestJudgeNoModel(t *testing.T) {
	chat := &scripted{}
	got := newSwarm(t, chat, Options{}).Judge(t.Context(), "what", shelf(), Room{})
	if fmt.Sprint(got) != fmt.Sprint(JudgeResult{Outcome: "fallback"}) || len(chat.all) > 0 {
		t.Errorf("%+v", got)
	}
}
