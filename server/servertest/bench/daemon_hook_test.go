//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	prompts    = 200
	coldStarts = 15
	coldAnswer = 30 * time.Second
)

// hook times the hook that a host runs before a prompt, from the start of its process to its end:
// while a session has the workspace open, as the host's own MCP server does, then without one, then
// without a daemon.
func (h *hosted) hook() error {
	open, err := h.joined(1)
	if err != nil {
		return errors.Join(err, stopAll(open))
	}
	warm, answered, err := h.hooks(prompts)
	if err = errors.Join(err, stopAll(open)); err != nil {
		return err
	}
	note := func(times []time.Duration, answered int) string {
		return fmt.Sprintf("%d of %d with context; p50 %.0f ms, slowest %.0f", answered, len(times), ms(percentile(times, .50)), ms(percentile(times, 1)))
	}
	h.table.add("hook before a prompt, warm: p95", ms(percentile(warm, .95)), 150, " ms", "%s", note(warm, answered))
	if answered < prompts*95/100 {
		return fmt.Errorf("%d of %d prompts come with context", answered, prompts)
	}
	alone, answered, err := h.hooks(prompts / 4)
	if err != nil {
		return err
	}
	h.table.add("hook before a prompt, no session open: p95", ms(percentile(alone, .95)), 0, " ms", "%s", note(alone, answered))
	return h.coldHooks()
}

// hooks runs the hook with prompts that each name a word of the repository.
func (h *hosted) hooks(n int) (times []time.Duration, answered int, err error) {
	words := slices.Sorted(maps.Values(h.g.words))
	for i := range n {
		word := words[i*len(words)/n]
		took, context, err := h.askHook("where is " + word + " used, and what for?")
		if err != nil {
			return nil, 0, err
		}
		times = append(times, took)
		if strings.Contains(context, word) {
			answered++
		}
	}
	return times, answered, nil
}

// coldHooks times the hook without a daemon, and the time from there until a hook returns context.
func (h *hosted) coldHooks() error {
	var cold, until []time.Duration
	first := 0
	word := slices.Min(slices.Collect(maps.Values(h.g.words)))
	for range coldStarts {
		if err := h.leave(); err != nil {
			return err
		}
		begun := time.Now()
		for context := ""; !strings.Contains(context, word); {
			if time.Since(begun) > coldAnswer {
				return fmt.Errorf("no context %v after a cold start", coldAnswer)
			}
			took, got, err := h.askHook("where is " + word + " used, and what for?")
			if err != nil {
				return err
			}
			if len(cold) == len(until) {
				cold = append(cold, took)
				if strings.Contains(got, word) {
					first++
				}
			}
			context = got
		}
		until = append(until, time.Since(begun))
	}
	h.table.add("hook before a prompt, host started cold: p95", ms(percentile(cold, .95)), 600, " ms", "%d of %d starts without a daemon bring context at once; p50 %.0f ms", first, coldStarts, ms(percentile(cold, .50)))
	h.table.add("cold start to the first prompt with context: p95", ms(percentile(until, .95)), 0, " ms", "p50 %.0f ms", ms(percentile(until, .50)))
	return nil
}

// askHook runs the hook as Claude Code does, and returns the text added to the prompt.
func (h *hosted) askHook(prompt string) (took time.Duration, context string, err error) {
	h.asked++ // each prompt starts a conversation, because an item is not sent twice in one
	input, err := json.Marshal(map[string]any{
		"session_id": fmt.Sprint("bench-", h.asked), "cwd": h.g.root, "transcript_path": "", "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": prompt,
	})
	if err != nil {
		return 0, "", err
	}
	cmd := exec.Command(h.bin, "hook", "claude-code", "UserPromptSubmit", "--offline", "--state-dir", h.state)
	cmd.Stdin, cmd.Env = bytes.NewReader(input), append(os.Environ(), "CONTEXTURE_HOOK_TIME=")
	begun := time.Now()
	out, err := cmd.Output()
	took = time.Since(begun)
	if err != nil || len(out) == 0 {
		return took, "", err
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	err = json.Unmarshal(out, &answer)
	return took, answer.HookSpecificOutput.AdditionalContext, err
}
