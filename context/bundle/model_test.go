package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// chat answers the filter and the judge as a test sets, by the lines of items that it is shown.
type chat struct {
	filter, judge func(ctx context.Context, lines []string) (string, error)
}

func (chat) Identity() string { return "m" }

func (c chat) Ask(ctx context.Context, _, prompt string, schema []byte, _ int) (string, error) {
	var lines []string
	for line := range strings.SplitSeq(prompt, "\n") {
		if strings.HasPrefix(line, `{"n":`) {
			lines = append(lines, line)
		}
	}
	if strings.Contains(string(schema), `"keep"`) {
		return c.filter(ctx, lines)
	}
	return c.judge(ctx, lines)
}

var number = regexp.MustCompile(`^\{"n":(\d+)`)

// list returns the numbers of the lines that pass.
func list(lines []string, pass func(string) bool) string {
	out := []int{}
	for _, l := range lines {
		if n, err := strconv.Atoi(number.FindStringSubmatch(l)[1]); err == nil && pass(l) {
			out = append(out, n)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err) // numbers always encode
	}
	return string(b)
}

func all(string) bool { return true }

// keeps returns a filter that keeps the lines that pass.
func keeps(pass func(string) bool) func(context.Context, []string) (string, error) {
	return func(_ context.Context, lines []string) (string, error) {
		return `{"keep":` + list(lines, pass) + `}`, nil
	}
}

// takes returns a judge that takes the lines that pass, in full, in summary, or as ticklers; board
// is for those on the board.
func takes(full, summary, tickler, board func(string) bool) func(context.Context, []string) (string, error) {
	return func(_ context.Context, lines []string) (string, error) {
		return fmt.Sprintf(`{"full":%s,"summary":%s,"tickler":%s,"board":%s}`,
			list(lines, full), list(lines, summary), list(lines, tickler), list(lines, board)), nil
	}
}

func none(string) bool { return false }

func has(what string) func(string) bool {
	return func(l string) bool { return strings.Contains(l, what) }
}

func asking(c chat) *swarm.Swarm { return swarm.New(c, swarm.Options{Counter: counter}) }

// TestModelKeepsAll checks that a model that keeps everything changes nothing.
func TestModelKeepsAll(t *testing.T) {
	s := newWorkspace(t, shop()).index()
	m := asking(chat{filter: keeps(all), judge: takes(all, none, none, none)})
	for _, p := range prompts {
		for _, tokens := range []int{700, 4000, 40_000} {
			src := sources(s)
			want := made(t, request(p, tokens), src)
			src.Filter, src.Judge = m, m
			got := made(t, request(p, tokens), src)
			if got.Text != want.Text || fmt.Sprint(got.Items, got.Dropped, got.Layers, got.Degraded) != fmt.Sprint(want.Items, want.Dropped, want.Layers, want.Degraded) {
				t.Errorf("%q at %d differs: %v", p, tokens, got.Degraded)
			}
			check(t, request(p, tokens), got)
		}
	}
}

// TestModelBroken checks that a model with unusable answers changes nothing and is reported.
func TestModelBroken(t *testing.T) {
	s := newWorkspace(t, shop()).index()
	fail := func(context.Context, []string) (string, error) {
		return "", &ollama.Error{Kind: ollama.Unreachable, Op: "chat"}
	}
	m := asking(chat{filter: fail, judge: func(context.Context, []string) (string, error) { return "all of it", nil }})
	src := sources(s)
	req := request("where is an order cancelled?", 4000)
	want := made(t, req, src)
	src.Filter, src.Judge = m, m
	got := made(t, req, src)
	if got.Text != want.Text {
		t.Error("the text differs")
	}
	var said []string
	for _, d := range got.Degraded {
		said = append(said, string(d.Stage)+" "+string(d.Reason))
	}
	if !slices.Equal(said, []string{"filter unreachable", "judge badAnswer"}) || outcomeOf(got, "filter") != "fallback" || outcomeOf(got, "judge") != "fallback" {
		t.Errorf("says %q, %+v", said, got.Stages)
	}
}

func outcomeOf(b *Bundle, stage item.StageName) item.Outcome {
	i := slices.IndexFunc(b.Stages, func(s item.Stage) bool { return s.Name == stage })
	return b.Stages[i].Outcome
}

// TestModelFilters checks that what the agents omit is dropped, except what the prompt names.
func TestModelFilters(t *testing.T) {
	src := sources(newWorkspace(t, shop()).index())
	req := request("where is an order cancelled? see cancelInvoice", 4000)
	req.Fill = retrieve.Full
	of := func(b *Bundle) (invoices, named int) {
		for _, it := range b.Items {
			if it.Path == "shop/invoice.go" {
				invoices += len(it.Symbols) // adjacent pieces are one item
			}
			if slices.Contains(it.Symbols, "cancelInvoice") {
				named++
			}
		}
		return invoices, named
	}
	if invoices, _ := of(made(t, req, src)); invoices < 2 {
		t.Fatalf("%d invoices without a filter", invoices)
	}
	src.Filter = asking(chat{filter: keeps(func(l string) bool { return !has("invoice.go")(l) })})
	b := made(t, req, src)
	check(t, req, b)
	if invoices, named := of(b); invoices != 1 || named != 1 {
		t.Errorf("%d invoices, %d of them named", invoices, named)
	}
	if !slices.ContainsFunc(b.Dropped, func(d item.Omission) bool { return d.Reason == "filtered" }) || outcomeOf(b, "filter") != "ok" {
		t.Errorf("dropped %v", b.Dropped)
	}
}

// TestModelJudges checks that formats and inclusion follow the judge.
func TestModelJudges(t *testing.T) {
	src := sources(newWorkspace(t, shop()).index())
	src.Judge = asking(chat{judge: takes(has("order.go"), has("refund.go"), has("invoice.go"), all)})
	req := request("where are orders, refunds and invoices checked, sent and cancelled?", 8000)
	b := made(t, req, src)
	check(t, req, b)
	seen := map[string]int{}
	for _, it := range b.Items {
		want := map[string]string{"shop/order.go": "full", "shop/refund.go": "lines", "shop/invoice.go": "pointer"}[it.Path]
		if it.Kind == "code" {
			seen[want]++
			if it.Format != want || it.Layer != item.L5JIT {
				t.Errorf("%s is shown in %s in %s, want %q", it.Path, it.Format, it.Layer, want)
			}
		}
	}
	if seen["full"] == 0 || seen["lines"] == 0 || seen["pointer"] == 0 || outcomeOf(b, "judge") != "ok" {
		t.Errorf("shows %v", seen)
	}
}

// TestModelJudgesMemory checks that the judge places memories: in their layer, on the board,
// shortened, or not at all.
func TestModelJudgesMemory(t *testing.T) {
	lesson := func(id, body, short string) item.Item {
		return item.Item{ID: id, Kind: "lesson", Title: id, Body: body, Short: short, Format: "full", Score: 1}
	}
	m := &memories{
		talk:  Conversation{Messages: 8, Turns: 4, Tokens: 400},
		known: []item.Item{lesson("boards", "Orders are kept for a year, and that is that.", ""), lesson("stays", "Orders have numbers.", ""), lesson("goes", "Other things.", ""), lesson("short", "Orders are long and so is this lesson.", "Orders are long.")},
		says: []item.Item{{ID: "passage", Kind: "turn", Title: "Turn 3", Body: "We said that orders can be sent.", Format: "full", Score: 1},
			{ID: "tick", Kind: "tickler", Title: "Turn 2", Body: "On orders.", Format: "tickler", Score: 1}},
	}
	src := sources(newWorkspace(t, shop()).index())
	src.Past = m
	judge := takes(func(l string) bool { return !has(`"short"`)(l) && !has(`"goes"`)(l) && !has("Turn")(l) }, has(`"short"`), none, has(`"boards"`))
	src.Judge = asking(chat{judge: judge})
	show := func(b *Bundle) map[string]string {
		out := map[string]string{}
		for _, it := range b.Items {
			if it.Kind == "lesson" || it.Kind == "turn" || it.Kind == "tickler" {
				out[it.ID] = it.Layer.String() + " " + it.Format
			}
		}
		return out
	}
	req := request("where is an order cancelled?", 8000)
	b := made(t, req, src)
	check(t, req, b)
	want := map[string]string{"boards": "L4_conversation full", "stays": "L5_jit full", "short": "L5_jit summary", "passage": "L5_jit full"}
	if got := show(b); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("shows %v, want %v", got, want)
	}
	if !drops(b, item.Omission{ID: "goes", Kind: "lesson", Reason: "filtered", Score: 1}) || !drops(b, item.Omission{ID: "tick", Kind: "tickler", Reason: "filtered", Score: 1}) {
		t.Errorf("drops %v", b.Dropped)
	}
	m.talk = Conversation{}
	want["boards"] = "L5_jit full"
	if got := show(made(t, req, src)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("without a conversation it shows %v", got)
	}
	src.Judge, src.Snapshot = nil, nil
	if got := show(made(t, req, src)); len(got) != 6 {
		t.Errorf("without a judge it shows %v", got)
	}
}

// TestModelHangs checks that a model that never answers takes no more than its shares of the
// deadline, and has no other effect.
func TestModelHangs(t *testing.T) {
	s := newWorkspace(t, shop()).index()
	want := made(t, request("where is an order cancelled?", 4000), sources(s))
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ []string) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		m := asking(chat{filter: hang, judge: hang})
		src := sources(s)
		src.Filter, src.Judge, src.Now = m, m, time.Now
		req := request("where is an order cancelled?", 4000)
		req.Deadline = time.Second
		ctx, cancel := context.WithTimeout(t.Context(), req.Deadline)
		defer cancel()
		start := time.Now()
		got, err := Build(ctx, req, src)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 700*time.Millisecond {
			t.Errorf("takes %v", took)
		}
		if got.Text != want.Text || outcomeOf(got, "filter") != "timeout" || outcomeOf(got, "judge") != "timeout" {
			t.Errorf("%+v %+v", got.Stages, got.Degraded)
		}
	})
}
