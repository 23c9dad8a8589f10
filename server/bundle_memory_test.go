package server_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// village returns a workspace with forty source files and rules.
func village(t testing.TB) string {
	t.Helper()
	files := map[string]string{"AGENTS.md": "# Rules\n\nAlways write tests.\n\nNever log secrets.\n"}
	s := newSpeaker(99)
	for i := range 40 {
		var b strings.Builder
		fmt.Fprintf(&b, "// Package part%d holds a part.\npackage part%d\n", i, i)
		for k := range 6 {
			fmt.Fprintf(&b, "\n// Step%d says: %s\n// %s\nfunc Step%d(n int) int {\n\t// %s\n\tif n > %d {\n\t\treturn n * %d\n\t}\n\treturn n\n}\n", k, s.sentence(), s.sentence(), k, s.sentence(), s.IntN(99), 2+s.IntN(9))
		}
		files[fmt.Sprintf("src/part%d.go", i)] = b.String()
	}
	return servertest.Tree(t, files)
}

// TestStablePrefix replays conversations: in nine of ten bundles over 200 turns, the next bundle
// begins with at least 94 % of the stable part of the one before. (With a budget of 100,000 tokens
// 195 of 200 turns do, but that test takes half a minute.)
func TestStablePrefix(t *testing.T) {
	root := village(t)
	for _, tt := range []struct {
		budget, turns int
		appended      bool // the prompt is appended before the bundle is requested
		seed          uint64
	}{{12000, 50 * longer(), true, 12}, {12000, 20 + 5*longer(), false, 11}, {100000, 10 + 5*longer(), true, 13}} {
		t.Run(fmt.Sprintf("%d tokens, %d turns, appended %v", tt.budget, tt.turns, tt.appended), func(t *testing.T) {
			e := servertest.Start(t, servertest.Options{Roots: []string{root}})
			e.AwaitIdle()
			s := newSpeaker(tt.seed)
			turns := tt.turns
			good, before, sum := 0, 0, 0.
			for turn := range turns {
				m := s.turn(600)
				prompt := m[0]["content"].(string)
				if tt.appended {
					say(t, e, "c", m[0])
				}
				b := bundleOf(t, e, args{"prompt": prompt, "conversationId": "c", "budget": tt.budget, "includeText": turn%20 == 0})
				if turn%20 == 0 {
					checkBundle(t, b, prompt)
				}
				share := 1.
				if before > 0 {
					share = min(1, float64(b.Cache.ReusedPrefixTokens)/float64(before))
				}
				if sum += share; share >= .94 {
					good++
				} else if testing.Verbose() {
					t.Logf("turn %d: %d of %d stable tokens", turn+1, b.Cache.ReusedPrefixTokens, before)
				}
				before = b.Cache.StablePrefixTokens
				if tt.appended {
					m = m[1:]
				}
				say(t, e, "c", m...)
			}
			t.Logf("%d of %d turns reuse 94 %%; on the average %.1f %%", good, turns, 100*sum/float64(turns))
			if turns >= 200 && good < turns*9/10 || good < turns*8/10 {
				t.Errorf("%d of %d turns", good, turns)
			}
		})
	}
}

// TestBundleFillsWithConversation checks that a bundle whose prompt finds little else is filled
// with the conversation, and reports which turns were over budget.
func TestBundleFillsWithConversation(t *testing.T) {
	for name, roots := range map[string][]string{
		"no workspace": nil, "an empty one": {servertest.Tree(t, nil)}, "a village": {village(t)}, "a small one": {project(t)},
	} {
		t.Run(name, func(t *testing.T) {
			e := servertest.Start(t, servertest.Options{Roots: roots})
			if len(roots) > 0 {
				e.AwaitIdle()
			}
			s, all, turns := newSpeaker(17), 0, 0
			for ; all < 40_000; turns++ {
				m := s.turn(1200)
				say(t, e, "c", m...)
				for _, one := range m {
					all += counted(t, "o200k_base", one["content"].(string))
				}
			}
			for _, tt := range []struct{ budget, least int }{{12_000, 9_000}, {4_000, 2_900}, {1_000, 600}, {60_000, 40_000}} {
				b := bundleOf(t, e, args{"prompt": "thanks, and what else?", "conversationId": "c", "budget": tt.budget})
				checkBundle(t, b, "thanks, and what else?")
				code := 0
				for _, it := range b.Items {
					if it.Range != nil {
						code += it.Tokens
					}
				}
				if code > tt.budget/8 { // then the history keeps its former layout
					tt.least = tt.least * 3 / 4
				}
				if b.Tokens < tt.least {
					t.Errorf("%d of %d tokens are used: %+v", b.Tokens, tt.budget, b.Layers)
				}
				shown, last := map[int]bool{}, ""
				for _, it := range b.Items {
					if it.Layer != "L6_message_history" {
						continue
					}
					from, to, level := toldBy(t, b.Text[it.Span.Start:it.Span.End])
					for turn := from; turn <= to; turn++ {
						shown[turn] = true
					}
					if level != "" && strings.Index("TCSR", level) < strings.Index("TCSR", last) {
						t.Errorf("budget %d: %s is told at %s after %s", tt.budget, it.ID, level, last)
					}
					last = level
					if n, _ := fmt.Sscanf(it.ID, "turn:c/T-%d-through-%d", &from, &to); n == 2 && level == "" {
						for turn := from; turn <= to; turn++ {
							shown[turn] = true
						}
						if !strings.Contains(b.Text, it.ID) {
							t.Errorf("budget %d: the text does not say that %s is left out", tt.budget, it.ID)
						}
					}
				}
				for turn := 1; turn <= turns; turn++ {
					if !shown[turn] {
						t.Errorf("budget %d: of %d turns turn %d is neither told nor named as left out", tt.budget, turns, turn)
						break
					}
				}
			}
		})
	}
}

// toldBy returns the turns that an element of the history covers, and their level; 1, 0, "" if it
// covers none.
func toldBy(t *testing.T, element string) (from, to int, level string) {
	t.Helper()
	tag, _, _ := strings.Cut(strings.TrimPrefix(element, "<"), ">")
	if !strings.HasPrefix(tag, "T-") {
		return 1, 0, ""
	}
	if n, _ := fmt.Sscanf(tag, "T-%d-through-%d-%s", &from, &to, &level); n != 3 {
		if n, err := fmt.Sscanf(tag, "T-%d-%s", &from, &level); n != 2 {
			t.Fatal(tag, err)
		}
		to = from
	}
	return from, to, level
}

// TestBundleWithMemory checks bundles of a long conversation against the contract, for all budgets
// and frames.
func TestBundleWithMemory(t *testing.T) {
	root := village(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	s := newSpeaker(21)
	var batch []args
	for range 90 {
		batch = append(batch, s.turn(700)...)
	}
	say(t, e, "c", batch...)
	say(t, e, "c", user("From now on, always name test files after the unit they test."), assistant("Understood."))
	var known command.KnowledgeListResult
	e.MustExecute("contexture.knowledge.list", args{"kind": "rule"}, &known)
	for _, it := range known.Items {
		e.MustExecute("contexture.knowledge.accept", args{"id": it.ID}, nil)
	}
	say(t, e, "c", user("Let's use SQLite instead of Redis for the session cache."), assistant("The session cache is in SQLite now."))
	for i := range 7 {
		ask[command.TaskResult](t, e, "contexture.task.complete", args{"taskId": fmt.Sprintf("done-%d", i), "intent": "finish step " + fmt.Sprint(i), "requiresContext": true})
	}
	for i := range 3 {
		ask[command.TaskResult](t, e, "contexture.task.block", args{"taskId": fmt.Sprintf("stuck-%d", i), "reason": "waits for the certificate " + fmt.Sprint(i)})
	}
	for i := range 6 {
		ask[command.BoardItemResult](t, e, "contexture.board.put", args{"conversationId": "c", "type": "note", "title": fmt.Sprint("note ", i), "content": s.text(40 * (1 + i*i))})
	}
	ask[command.CabinetPutResult](t, e, "contexture.cabinet.put", args{"title": "the plan", "content": s.text(500)})
	for i := range 4 {
		ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", args{"kind": []string{"lesson", "reference"}[i%2], "title": fmt.Sprint("session cache ", i), "content": s.text(200), "topics": []string{"cache"}, "keywords": []string{"session", "cache"}})
	}
	for _, budget := range []int{256, 257, 300, 400, 512, 700, 1000, 1500, 2000, 4000, 8000, 12000, 30000, 100000} {
		for i, prompt := range []string{"Why does the session cache forget the header line?", "hello", "what did we decide about the session cache?", "debug: panic: runtime error in Step3"} {
			for _, order := range []string{"cache", "primed"} {
				a := args{"prompt": prompt, "conversationId": "c", "budget": budget, "order": order, "prioritizeHistory": i == 2, "encoding": []string{"o200k_base", "cl100k_base"}[i%2]}
				b := bundleOf(t, e, a)
				if t.Failed() {
					t.FailNow()
				}
				checkBundle(t, b, prompt)
				if len(b.Degraded) > 0 {
					t.Errorf("degraded: %+v", b.Degraded)
				}
				checkItems(t, b)
				if t.Failed() {
					t.Fatalf("at %v", a)
				}
				if budget >= 4000 && order == "cache" && i == 0 {
					checkMemoryShown(t, b)
				}
			}
		}
	}
}

// checkItems checks the items' data against the text.
func checkItems(t *testing.T, b *command.BundleResult) {
	t.Helper()
	used := map[string]int{}
	seen := map[string]bool{}
	for _, it := range b.Items {
		used[it.Layer] += it.Tokens
		if seen[it.ID] {
			t.Errorf("%s is there twice", it.ID)
		}
		seen[it.ID] = true
		block := b.Text[it.Span.Start:it.Span.End]
		if it.Format == "pointer" {
			if len(it.Passages) != 1 || !strings.Contains(block, ":"+strconv.Itoa(it.Passages[0].Range.Start.Line+1)+"  ") {
				t.Errorf("%+v points at %q", it, block)
			}
		} else if !strings.HasPrefix(block, "<") {
			t.Errorf("%+v: %.80q", it, block)
		}
		if it.Kind == "" || it.Format == "" || it.Reason == "" || it.ID == "" {
			t.Errorf("%+v: %.80q", it, block)
		}
		if it.Layer == "L6_message_history" && (it.ConversationID != "c" || it.TurnID == "" || it.Kind != "turn" && it.Kind != "summary") {
			t.Errorf("of the history: %+v", it)
		}
	}
	for _, l := range b.Layers {
		if used[l.Layer] != l.Used {
			t.Errorf("%s: the items have %d tokens, %d are said", l.Layer, used[l.Layer], l.Used)
		}
	}
}

func checkMemoryShown(t *testing.T, b *command.BundleResult) {
	t.Helper()
	for _, l := range []int{1, 4, 6} {
		if b.Layers[l].Used == 0 {
			t.Errorf("%d tokens: %+v is empty", b.Budget, b.Layers[l])
		}
	}
	texts := map[string]string{}
	for _, it := range b.Items {
		texts[it.ID] = it.Layer + " " + b.Text[it.Span.Start:it.Span.End]
	}
	if r := texts["rules"]; !strings.HasPrefix(r, "L1_global_prefs") || !strings.Contains(strings.ToLower(r), "name test files") {
		t.Errorf("the rules: %q", r)
	}
	for _, id := range []string{"task:done-2", "task:done-6", "blocker:stuck-0", "blocker:stuck-2", "arc:c"} {
		if texts[id] == "" {
			t.Errorf("%d tokens: %s is not there", b.Budget, id)
		}
	}
	if texts["task:done-1"] != "" {
		t.Error("more than five tasks are shown")
	}
	if len(b.Board) != 6 {
		t.Errorf("%d items on the board", len(b.Board))
	}
	if i := slices.IndexFunc(b.Items, func(it command.Item) bool { return it.Layer == "L5_jit" }); i >= 0 {
		if k := slices.IndexFunc(b.Items, func(it command.Item) bool { return it.Layer == "L6_message_history" }); k > i {
			t.Error("the history stands behind what follows the prompt")
		}
	}
}

// TestBundleIsDeterministic checks that a bundle is the same before and after background processing
// of the turns, in another process and in another session.
func TestBundleIsDeterministic(t *testing.T) {
	root := village(t)
	build := func(wait bool) *command.BundleResult {
		e := servertest.Start(t, servertest.Options{Roots: []string{root}})
		e.AwaitIdle()
		s := newSpeaker(31)
		for i := range 60 {
			m := s.turn(500)
			for k := range m {
				m[k]["id"], m[k]["at"] = fmt.Sprintf("m%d-%d", i, k), "2026-03-04T05:06:07Z"
			}
			say(t, e, "c", m...)
		}
		if wait {
			for n := 1; n <= 60; n++ {
				for turnOf(t, e, "c", fmt.Sprintf("T-%d", n), "C").Pending {
				}
			}
		}
		a := args{"prompt": "Why does the router merge two tokens at once?", "conversationId": "c", "budget": 6000}
		b := bundleOf(t, e, a)
		same(t, b, bundleOf(t, e, a))
		return b
	}
	same(t, build(false), build(true))
}

// same compares the parts of two bundles that must be equal.
func same(t *testing.T, a, b *command.BundleResult) {
	t.Helper()
	if a.Text != b.Text || a.Tokens != b.Tokens {
		t.Errorf("texts differ from byte %d on", len(commonPrefix(a.Text, b.Text)))
	}
	for _, pair := range [][2]any{{a.Items, b.Items}, {a.Layers, b.Layers}} {
		if x, y := fmt.Sprintf("%+v", deref(pair[0])), fmt.Sprintf("%+v", deref(pair[1])); x != y {
			t.Errorf("%s\nand\n%s", x, y)
		}
	}
	if !reflect.DeepEqual(a.Dropped, b.Dropped) {
		t.Errorf("left out are %+v\nand\n%+v", a.Dropped, b.Dropped)
	}
}

// deref formats items with the values behind their pointers.
func deref(v any) any {
	items, ok := v.([]command.Item)
	if !ok {
		return v
	}
	var out []string
	for _, it := range items {
		line := fmt.Sprintf("%v %v", *it.Span, it.Range)
		if it.Range != nil {
			line = fmt.Sprintf("%v %v", *it.Span, *it.Range)
		}
		if it.Anchor != nil {
			line += fmt.Sprint(" at ", *it.Anchor)
		}
		it.Span, it.Range, it.Anchor = nil, nil, nil
		out = append(out, fmt.Sprintf("%+v %s", it, line))
	}
	return out
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// TestPromptOnce checks that a prompt that the host has already appended is not also shown as a
// past turn.
func TestPromptOnce(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	const prompt = "Which of the seventeen wombats sleeps?"
	say(t, e, "c", user("How many wombats are there?"), assistant("Seventeen."))
	before := bundleOf(t, e, args{"prompt": prompt, "conversationId": "c"})
	say(t, e, "c", user(prompt))
	after := bundleOf(t, e, args{"prompt": prompt, "conversationId": "c"})
	if before.Text != after.Text || strings.Count(after.Text, prompt) != 1 {
		t.Errorf("before it is appended:\n%s\nafter:\n%s", before.Text, after.Text)
	}
	only := bundleOf(t, e, args{"prompt": "hi, a first word", "conversationId": "new"})
	say(t, e, "new", user("hi, a first word"))
	if b := bundleOf(t, e, args{"prompt": "hi, a first word", "conversationId": "new"}); b.Text != only.Text {
		t.Errorf("the first prompt: %s", b.Text)
	}
	say(t, e, "c", assistant("The third."))
	if b := bundleOf(t, e, args{"prompt": prompt, "conversationId": "c"}); strings.Count(b.Text, prompt) != 2 {
		t.Errorf("asked again, with its answer in the past: %s", b.Text)
	}
}

// TestQuotedCode checks that code that the conversation already shows is not sent again.
func TestQuotedCode(t *testing.T) {
	root := project(t)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	uri := servertest.URI(filepath.Join(root, "retry.go"))
	shows := func(conversation string) bool {
		b := bundleOf(t, e, args{"prompt": "how does Backoff work?", "conversationId": conversation})
		return slices.ContainsFunc(b.Items, func(it command.Item) bool { return it.URI == uri })
	}
	const text = "package p\n\n// Backoff waits longer after each failure.\nfunc Backoff(n int) int {\n\treturn 1 << n\n}\n"
	say(t, e, "tool", user("Look at retry.go."), assistant("I read it.", "toolCalls", []args{{"name": "read_file", "arguments": args{"path": "retry.go"}, "result": text}}))
	say(t, e, "fence", user("Here it is:\n```go\n"+text+"```"), assistant("I see."))
	say(t, e, "other", user("Look at retry.go."), assistant("It has a function named Backoff."))
	for conversation, want := range map[string]bool{"tool": false, "fence": false, "other": true, "new": true} {
		if shows(conversation) != want {
			t.Errorf("%s: the code is shown: %v", conversation, !want)
		}
	}
	for i := range 12 {
		say(t, e, "tool", user(fmt.Sprint("something else ", i)), assistant("yes"))
	}
	if !shows("tool") {
		t.Error("it is not shown when what quotes it is out of view")
	}
}
