//go:build linux

package bench

import (
	"fmt"
	"time"
)

// The conversations of a long life.
const (
	shortTalks = 1000
	shortTurns = 100
	longTurns  = 20_000
	tenTurns   = 5000 // ten thousand messages
	batchTurns = 500  // of one append, with two messages each
	brief      = 4    // sentences of an assistant's message; only some turns are long
)

// recalled is the answer to a recall.
type recalled struct {
	Items []struct {
		ConversationID string `json:"conversationId"`
	} `json:"items"`
	Tokens   int              `json:"tokens"`
	Degraded []map[string]any `json:"degraded"`
}

// windowed is the answer to a window.
type windowed struct {
	Strategy      string `json:"strategy"`
	ArcTokens     int    `json:"arcTokens"`
	MessageTokens int    `json:"messageTokens"`
	Coverage      struct {
		Total int `json:"totalMessages"`
	} `json:"coverage"`
}

// much stores more than 120,000 turns and asks about them.
func (t *talks) much() error {
	if err := t.with(t.load); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	disk, err := size(t.state)
	if err != nil {
		return err
	}
	t.table.add("memory on disk", mb(disk), 0, " MiB", "the state directory whole")
	if err := t.windows(); err != nil {
		return err
	}
	return t.with(func(c *client) error {
		for _, scope := range []struct {
			what string
			id   func(i int) string
		}{
			{"recall over all turns", func(int) string { return "" }},
			{"recall in a conversation of 20,000 turns", func(int) string { return "long" }},
			{"recall in one of 100 turns", func(i int) string { return fmt.Sprint("short", i*7%shortTalks) }},
		} {
			if err := t.recalls(c, scope.what, scope.id); err != nil {
				return err
			}
		}
		return t.prompts(c)
	})
}

// load fills the memory in batches of 1,000 messages and waits until background processing has
// finished.
func (t *talks) load(c *client) error {
	s := newSpeaker(4)
	begin, bytes, count := time.Now(), 0, 0
	var appending time.Duration
	add := func(id string, turns int) error {
		for turns > 0 {
			var batch []message
			for range min(turns, batchTurns) {
				turn := s.turn(brief)
				bytes += len(turn[0].Content) + len(turn[1].Content)
				batch = append(batch, turn...)
			}
			turns -= len(batch) / 2
			count += len(batch) / 2
			from := time.Now()
			if _, err := c.append(id, batch); err != nil {
				return err
			}
			appending += time.Since(from)
		}
		return nil
	}
	for i := range shortTalks {
		if i == shortTalks/2 {
			if err := add("long", longTurns); err != nil {
				return err
			}
			if err := add("ten", tenTurns); err != nil {
				return err
			}
		}
		if err := add(fmt.Sprint("short", i), shortTurns); err != nil {
			return err
		}
	}
	loaded := time.Since(begin)
	if err := c.calm(); err != nil {
		return err
	}
	peak, err := memory(c.cmd.Process.Pid, "VmHWM")
	if err != nil {
		return err
	}
	t.table.add("loading in batches", appending.Seconds(), 0, " s", "%d turns, %.0f MiB of text; versions made %.0f s later; peak RSS %.0f MiB", count, mb(int64(bytes)), (time.Since(begin) - loaded).Seconds(), mb(peak))
	return nil
}

// recalls times questions; the first five warm the caches that are warm in use.
func (t *talks) recalls(c *client, what string, scope func(i int) string) error {
	s := newSpeaker(5)
	var times []time.Duration
	tokens, empty, degraded := 0, 0, 0
	used, err := c.used()
	if err != nil {
		return err
	}
	for i := range 205 {
		args := map[string]any{"query": s.question(), "budget": 2000}
		id := scope(i)
		if id != "" {
			args["conversationId"] = id
		}
		var r recalled
		begin := time.Now()
		if err := c.command("contexture.recall", args, &r); err != nil {
			return fmt.Errorf("%q: %w", args["query"], err)
		}
		took := time.Since(begin)
		if r.Tokens > 2000 {
			return fmt.Errorf("%q: %d tokens are over the budget", args["query"], r.Tokens)
		}
		for _, item := range r.Items {
			if id != "" && item.ConversationID != "" && item.ConversationID != id {
				return fmt.Errorf("%q: asked of %s, answered with %s", args["query"], id, item.ConversationID)
			}
		}
		if i < 5 {
			continue
		}
		times = append(times, took)
		tokens += r.Tokens
		if len(r.Items) == 0 {
			empty++
		}
		if len(r.Degraded) > 0 {
			degraded++
		}
	}
	cpu, err := used()
	if err != nil {
		return err
	}
	t.table.add(what+": p50", ms(percentile(times, .50)), 10, " ms", "%d questions, 2,000 tokens; %d on average, %d with nothing, %d degraded; CPU %.1f ms", len(times), tokens/len(times), empty, degraded, ms(cpu)/205)
	t.table.add(what+": p99", ms(percentile(times, .99)), 50, " ms", "slowest %.1f ms", ms(percentile(times, 1)))
	return nil
}

// windows times the first window of a server, the same one later, and one after another turn.
func (t *talks) windows() error {
	var cold, warm, grown []time.Duration
	var coldCPU, warmCPU time.Duration
	s := newSpeaker(6)
	var last windowed
	window := func(c *client) (time.Duration, error) {
		last = windowed{}
		begin := time.Now()
		err := c.command("contexture.conversation.window", map[string]any{"conversationId": "ten"}, &last)
		if used := last.ArcTokens + last.MessageTokens; err == nil && used > 12_000 {
			err = fmt.Errorf("a window of %d tokens is over its budget", used)
		}
		return time.Since(begin), err
	}
	for range 5 {
		err := t.with(func(c *client) error {
			took, err := window(c)
			if err != nil {
				return err
			}
			cold = append(cold, took)
			spent, err := processor(c.cmd.Process.Pid)
			if err != nil {
				return err
			}
			coldCPU += spent
			used, err := c.used()
			if err != nil {
				return err
			}
			for range 20 {
				if took, err = window(c); err != nil {
					return err
				}
				warm = append(warm, took)
			}
			if spent, err = used(); err != nil {
				return err
			}
			warmCPU += spent
			for range 4 {
				if _, err := c.append("ten", s.turn(sentences)); err != nil {
					return err
				}
				if took, err = window(c); err != nil {
					return err
				}
				grown = append(grown, took)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	t.table.add("window of 10,000 messages: cold", ms(percentile(cold, 1)), 100, " ms", "slowest of %d first calls to a server, opening the memory included; median %.1f ms; CPU %.0f ms from the start of the process; %s", len(cold), ms(percentile(cold, .50)), ms(coldCPU)/float64(len(cold)), last.Strategy)
	t.table.add("window of 10,000 messages: warm", ms(percentile(warm, .99)), 10, " ms", "p99 of %d; median %.1f ms; CPU %.1f ms", len(warm), ms(percentile(warm, .50)), ms(warmCPU)/float64(len(warm)))
	t.table.add("window of 10,000 messages: after an append", ms(percentile(grown, .95)), 10, " ms", "p95 of %d; median %.1f ms", len(grown), ms(percentile(grown, .50)))
	return nil
}

// prompts times bundles of the longest conversation in the largest memory.
func (t *talks) prompts(c *client) error {
	s := newSpeaker(7)
	var times []time.Duration
	for i := range 55 {
		var b bundled
		begin := time.Now()
		if err := c.command("contexture.bundle", map[string]any{"prompt": s.question(), "conversationId": "long", "budget": 12_000}, &b); err != nil {
			return err
		}
		if i >= 5 {
			times = append(times, time.Since(begin))
		}
	}
	t.table.add("bundle with 120,000 turns of memory: p50", ms(percentile(times, .50)), 15, " ms", "%d questions in the conversation of 20,000 turns, 12,000 tokens, no code", len(times))
	t.table.add("bundle with 120,000 turns of memory: p99", ms(percentile(times, .99)), 50, " ms", "slowest %.1f ms", ms(percentile(times, 1)))
	return nil
}
