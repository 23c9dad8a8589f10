package server_test

import (
	"fmt"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestWindow checks windows of all four strategies against their own figures.
func TestWindow(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	s := newSpeaker(5)
	var batch []args
	for range 60 {
		batch = append(batch, s.turn(300)...)
	}
	for i := range batch {
		batch[i]["id"] = fmt.Sprintf("m%d", i)
	}
	say(t, e, "c", batch...)
	total := 0
	for _, m := range batch {
		total += counted(t, "o200k_base", m["content"].(string))
	}
	strategies := map[string]bool{}
	for _, budget := range []int{256, 300, 1000, total / 12, total / 8, total / 6, total / 3, total * 2 / 5, total / 2, total * 9 / 10, total * 6 / 5, 1000000} {
		for _, arc := range []any{nil, 0, 100, 255} {
			a := args{"conversationId": "c", "budget": budget}
			arcBudget := budget * 15 / 100
			if n, ok := arc.(int); ok {
				a["arcBudget"], arcBudget = n, n
			}
			w := ask[command.WindowResult](t, e, "contexture.conversation.window", a)
			name := fmt.Sprintf("budget %d, arc %v", budget, arc)
			ratio := float64(total) / float64(budget-arcBudget)
			want := "multi_level"
			switch {
			case ratio <= 1:
				want = "full"
			case ratio <= 2.5:
				want = "windowed"
			case ratio <= 8:
				want = "compacted"
			}
			if w.Strategy != want {
				t.Errorf("%s: strategy %s at %.2f", name, w.Strategy, ratio)
			}
			strategies[w.Strategy] = true
			checkWindow(t, name, w, batch, budget, arcBudget)
			for _, c := range ask[command.WindowResult](t, e, "contexture.conversation.window", a).Compactions {
				if !c.Cached {
					t.Errorf("%s: made again: %+v", name, c)
				}
			}
		}
	}
	if len(strategies) != 4 {
		t.Errorf("strategies %v", strategies)
	}
	const window = "contexture.conversation.window"
	refused(t, e, window, args{"conversationId": "d"}, "", "notFound")
	refused(t, e, window, args{"conversationId": "c", "budget": 255}, "budget", "")
	refused(t, e, window, args{"conversationId": "c", "budget": 300, "arcBudget": 300}, "arcBudget", "")
	refused(t, e, window, args{"conversationId": "c", "arcBudget": -1}, "arcBudget", "")
}

func checkWindow(t *testing.T, name string, w command.WindowResult, said []args, budget, arcBudget int) {
	t.Helper()
	if n := counted(t, "o200k_base", w.Arc); n != w.ArcTokens || n > arcBudget {
		t.Errorf("%s: the arc has %d tokens, %d are said, %d allowed", name, n, w.ArcTokens, arcBudget)
	}
	if c := w.Coverage; c.TotalMessages != len(said) || c.FullMessages+c.SummarizedMessages+c.DroppedMessages != c.TotalMessages {
		t.Errorf("%s: coverage %+v of %d", name, c, len(said))
	}
	sum, next, full, summed, summaries := 0, 0, 0, 0, 0
	for _, m := range w.Messages {
		if n := counted(t, "o200k_base", m.Content); n != m.Tokens {
			t.Errorf("%s: message %d has %d tokens, %d are said", name, m.Index, n, m.Tokens)
		}
		sum += m.Tokens
		if m.Index < next {
			t.Errorf("%s: message %d after %d", name, m.Index, next-1)
		}
		next = m.Index + 1
		if m.Summary {
			if m.To == nil || *m.To < m.Index || m.Role != "system" || summaries >= len(w.Compactions) {
				t.Fatalf("%s: %+v", name, m)
			}
			c := w.Compactions[summaries]
			if c.From != m.Index || c.To != *m.To || c.Tokens != m.Tokens || c.Level == "" {
				t.Errorf("%s: %+v for %+v", name, c, m)
			}
			summaries++
			summed += *m.To - m.Index + 1
			next = *m.To + 1
			continue
		}
		full++
		if m.Content != said[m.Index]["content"] || m.ID != said[m.Index]["id"] || m.Role != said[m.Index]["role"] || m.TurnID == "" {
			t.Errorf("%s: message %d is %+v", name, m.Index, m)
		}
	}
	if sum != w.MessageTokens || sum > budget-arcBudget || full != w.Coverage.FullMessages || summed != w.Coverage.SummarizedMessages || summaries != len(w.Compactions) {
		t.Errorf("%s: %d tokens, %d whole, %d summed up in %d; said are %d, %+v, %d", name, sum, full, summed, summaries, w.MessageTokens, w.Coverage, len(w.Compactions))
	}
}

// TestWindowGrows checks that messages appended since count, and that forks have separate windows.
func TestWindowGrows(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	s := newSpeaker(6)
	var all []args
	for turn := 1; turn <= 12; turn++ {
		m := s.turn(200)
		for i := range m {
			m[i]["id"] = fmt.Sprintf("m%d-%d", turn, i)
		}
		all = append(all, m...)
		say(t, e, "c", m...)
		if turn == 4 {
			ask[command.ForkResult](t, e, "contexture.conversation.fork", args{"conversationId": "c", "atTurn": "T-4", "newConversationId": "f"})
		}
		w := ask[command.WindowResult](t, e, "contexture.conversation.window", args{"conversationId": "c", "budget": 700})
		checkWindow(t, fmt.Sprintf("turn %d", turn), w, all, 700, 105)
	}
	alone := user("the fork's own", "id", "own")
	say(t, e, "f", alone)
	n := 0
	for n < len(all) && all[n]["id"] != "m5-0" {
		n++
	}
	w := ask[command.WindowResult](t, e, "contexture.conversation.window", args{"conversationId": "f", "budget": 600})
	checkWindow(t, "fork", w, append(append([]args{}, all[:n]...), alone), 600, 90)
}
