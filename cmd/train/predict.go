package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
)

// asking is one prompt of a real session, with the messages and files of the session before it.
type asking struct {
	ID      string       `json:"id"`
	Repo    string       `json:"repo"`
	Base    string       `json:"base_commit"`
	Session string       `json:"session"`
	At      string       `json:"at"`
	Query   string       `json:"query"`
	History []saidBefore `json:"history"`
	// Turns and Queries hold the same in the format of dialogue sets, which name no commit.
	Turns []struct {
		ID      string `json:"id"`
		Date    string `json:"date"`
		Speaker string `json:"speaker"`
		Text    string `json:"text"`
	} `json:"turns"`
	Queries []struct {
		Text string `json:"text"`
	} `json:"queries"`
}

type saidBefore struct {
	Role    string      `json:"role"`
	Content string      `json:"content"`
	ID      string      `json:"id"`
	At      string      `json:"at"`
	Tools   [][2]string `json:"tools"` // name of the tool, file
}

// fromDialogue returns the prompts of a dialogue: each follows all of its turns.
func (a *asking) fromDialogue() (out []asking) {
	for i, q := range a.Queries {
		one := asking{ID: fmt.Sprintf("%s/%d", a.ID, i), Repo: a.Repo, Session: cmp.Or(a.Session, a.ID), Query: q.Text}
		for _, t := range a.Turns {
			role := t.Speaker
			if role != "user" {
				role = "assistant"
			}
			one.History = append(one.History, saidBefore{Role: role, Content: t.Text, ID: t.ID, At: t.Date})
			one.At = t.Date
		}
		out = append(out, one)
	}
	return out
}

// replay measures how often the next prompt was predicted.
type replay struct {
	collection
	off     bool
	perHour float64

	asked, files, goesOn    int // prompts; those that returned files; those of them that continue a conversation
	foreseen, foreseenGoing int
	ready                   int
	compiled                int64
	spent                   float64 // milliseconds
	first, others           []time.Duration
	again                   []time.Duration // of ready answers to repeated prompts
}

// measurePredict replays sessions: before each prompt an editor reports that the session's
// conversation is in focus, and once all predicted bundles are compiled, the prompt is asked. All
// sessions of a repository share its memory, in chronological order.
func measurePredict(args []string) error {
	fs := flag.NewFlagSet("train predict", flag.ContinueOnError)
	set := fs.String("set", "", "the `file` with prompts and the sessions before them: JSON lines, maybe compressed")
	mirrors := fs.String("mirrors", "", "the `folder` with the sessions' repositories, bare: owner+name/repo")
	work := fs.String("work", "", "a `folder` for checkouts and states")
	only := fs.String("only", "", "replay only repositories whose names have this `part`")
	off := fs.Bool("off", false, "predict nothing: what answers take then")
	perHour := fs.Float64("per-hour", 30, "`prompts` of a working hour")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *set == "" || *work == "" {
		return errors.New("predict needs -set and -work")
	}
	rows, err := readAskings(*set, *only)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(*work, "state")); err != nil {
		return err
	}
	m := &replay{collection: collection{mirrors: *mirrors, work: *work}, off: *off, perHour: *perHour}
	for _, a := range rows {
		if err := m.row(context.Background(), a); err != nil {
			return fmt.Errorf("%s: %w", a.ID, err)
		}
	}
	m.report()
	return nil
}

// readAskings reads a set in the order in which the people of each repository asked.
func readAskings(file, only string) ([]asking, error) {
	all, err := readRows[asking](file)
	if err != nil {
		return nil, err
	}
	var out []asking
	for _, a := range all {
		switch {
		case !strings.Contains(a.Repo, only):
		case a.Turns != nil:
			out = append(out, a.fromDialogue()...)
		default:
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b asking) int { return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.At, b.At)) })
	return out, nil
}

// row replays one prompt.
func (m *replay) row(ctx context.Context, a asking) error {
	base := a.Base
	if base == "" {
		base = m.commitAt(a.Repo, a.At)
	}
	dir, err := m.checkout(a.Repo, base)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is left out: %v\n", a.ID, err)
		return nil
	}
	config := filepath.Join(m.work, "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "prediction.enabled = %t\n", !m.off), 0o644); err != nil {
		return err
	}
	v, err := server.New(engine.Options{StateDir: filepath.Join(m.work, "state", strings.ReplaceAll(a.Repo, "/", "+")), Home: m.work})
	if err != nil {
		return err
	}
	l := v.Local(ctx, engine.SessionOptions{Root: dir, Offline: true, ConfigFile: config})
	err = m.play(ctx, l, a, dir)
	l.Close()
	return errors.Join(err, v.Close())
}

func (m *replay) play(ctx context.Context, l *server.Local, a asking, dir string) error {
	x, err := l.Index(ctx)
	if err != nil {
		return err
	}
	if err := x.Wait(ctx); err != nil {
		return err
	}
	if list := a.messages(dir); len(list) > 0 {
		if _, err := l.Call(ctx, "contexture.conversation.append", map[string]any{"conversationId": a.Session, "messages": list}); err != nil {
			return err
		}
	}
	if !m.off {
		if err := m.await(ctx, l, a); err != nil {
			return err
		}
	}
	before, err := predictionOf(ctx, l)
	if err != nil {
		return err
	}
	start := time.Now()
	b, err := l.Call(ctx, "contexture.bundle", map[string]any{"prompt": a.Query, "conversationId": a.Session, "deadlineMs": 20000})
	took := time.Since(start)
	if err != nil {
		return err
	}
	after, err := predictionOf(ctx, l)
	if err != nil {
		return err
	}
	m.count(a, b.(*command.BundleResult), took, before, after)
	if !m.off {
		if err := m.askAgain(ctx, l, a); err != nil {
			return err
		}
	}
	_, err = l.Call(ctx, "contexture.conversation.append", map[string]any{"conversationId": a.Session, "messages": []map[string]any{
		{"role": "user", "content": a.Query, "id": "asked-" + a.ID},
	}})
	return err
}

// commitAt returns the commit that a repository's default branch had at a time, or its newest
// commit if it has none that old.
func (m *replay) commitAt(repo, at string) string {
	mirror := filepath.Join(m.mirrors, strings.ReplaceAll(repo, "/", "+"), "repo")
	out, err := exec.Command("git", "-C", mirror, "rev-list", "-1", "--before="+at, "HEAD").Output()
	if base := strings.TrimSpace(string(out)); err == nil && base != "" {
		return base
	}
	out, err = exec.Command("git", "-C", mirror, "rev-parse", "HEAD").Output()
	if err != nil {
		return "HEAD"
	}
	return strings.TrimSpace(string(out))
}

// askAgain asks the same prompt after its bundle was compiled ahead, to measure the time of a ready
// answer.
func (m *replay) askAgain(ctx context.Context, l *server.Local, a asking) error {
	if err := m.await(ctx, l, a); err != nil {
		return err
	}
	before, err := predictionOf(ctx, l)
	if err != nil {
		return err
	}
	start := time.Now()
	if _, err := l.Call(ctx, "contexture.bundle", map[string]any{"prompt": a.Query, "conversationId": a.Session, "deadlineMs": 20000}); err != nil {
		return err
	}
	took := time.Since(start)
	after, err := predictionOf(ctx, l)
	if err == nil && after.Ready > before.Ready {
		m.again = append(m.again, took)
	}
	return err
}

// messages returns the messages of a session, as a host appends them; their times are shifted so
// that the prompt is asked now.
func (a *asking) messages(dir string) (out []map[string]any) {
	asked, err := time.Parse(time.RFC3339Nano, a.At)
	moved := time.Since(asked)
	for i, m := range a.History {
		msg := map[string]any{"role": m.Role, "content": m.Content, "id": fmt.Sprintf("%d-%s", i, m.ID)}
		if at, bad := time.Parse(time.RFC3339Nano, m.At); err == nil && bad == nil {
			msg["at"] = at.Add(moved).UTC().Format(time.RFC3339)
		}
		var calls []map[string]any
		for _, t := range m.Tools {
			calls = append(calls, map[string]any{"name": t[0], "arguments": map[string]any{"file_path": filepath.Join(dir, filepath.FromSlash(t[1]))}, "result": ""})
		}
		if len(calls) > 0 && m.Role == "assistant" {
			msg["toolCalls"] = calls
		}
		out = append(out, msg)
	}
	return out
}

// A person waits at most longest before asking; when nothing was compiled for the time done,
// compilation counts as finished.
const (
	longest = 5 * time.Second
	done    = 600 * time.Millisecond
)

// await reports that the conversation is in focus until everything is compiled.
func (m *replay) await(ctx context.Context, l *server.Local, a asking) error {
	compiled, since := int64(0), time.Now()
	for start := since; time.Since(start) < longest && time.Since(since) < done; time.Sleep(50 * time.Millisecond) {
		out, err := l.Call(ctx, "contexture.presence", map[string]any{"activeConversationId": a.Session})
		if err != nil {
			return err
		}
		if list := out.(*command.PresenceResult).Predictions; len(list) > 0 && !slices.ContainsFunc(list, func(p command.Prediction) bool { return !p.Warm }) {
			return nil
		}
		now, err := predictionOf(ctx, l)
		if err != nil {
			return err
		}
		if now.Compiled > compiled {
			compiled, since = now.Compiled, time.Now()
		}
	}
	return nil
}

func predictionOf(ctx context.Context, l *server.Local) (command.PredictionMetrics, error) {
	out, err := l.Call(ctx, "contexture.metrics", map[string]any{})
	if err != nil {
		return command.PredictionMetrics{}, err
	}
	return out.(*command.MetricsResult).Prediction, nil
}

func (m *replay) count(a asking, b *command.BundleResult, took time.Duration, before, after command.PredictionMetrics) {
	m.asked++
	m.compiled += before.Compiled
	m.spent += before.SpentMS
	ready, foreseen := after.Ready > before.Ready, after.Foreseen > before.Foreseen
	if ready {
		m.ready++
	}
	any := slices.ContainsFunc(b.Items, func(it command.Item) bool { return it.Kind == "code" || it.Kind == "doc" || it.Kind == "entity" })
	if any {
		m.files++
	}
	goesOn := any && len(a.History) > 0
	if goesOn {
		m.goesOn++
	}
	if foreseen {
		m.foreseen++
		if goesOn {
			m.foreseenGoing++
		}
	}
	if foreseen || ready {
		m.first = append(m.first, took)
	} else {
		m.others = append(m.others, took)
	}
	fmt.Printf("%s files=%t foreseen=%t ready=%t %.1f ms, compiled %d in %.0f ms\n", a.ID, any, foreseen, ready, ms(took), before.Compiled, before.SpentMS)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func (m *replay) report() {
	share := func(n, of int) string {
		return fmt.Sprintf("%d of %d, %.1f %%", n, of, 100*float64(n)/float64(max(of, 1)))
	}
	fmt.Printf("prompts whose first five files were compiled ahead: %s of those that brought any\n", share(m.foreseen, m.files))
	fmt.Printf("  of those that continue a conversation: %s; of all prompts: %s\n", share(m.foreseenGoing, m.goesOn), share(m.foreseen, m.asked))
	fmt.Printf("prompts whose whole answer was ready: %s\n", share(m.ready, m.asked))
	fmt.Printf("first answer, median: foreseen or ready %.1f ms, others %.1f ms\n", ms(median(m.first)), ms(median(m.others)))
	fmt.Printf("an answer that is ready, asked for again: median %.1f ms of %d\n", ms(median(m.again)), len(m.again))
	each := m.spent / float64(max(m.asked, 1))
	fmt.Printf("compiled %.1f bundles a prompt in %.0f ms; with %.0f prompts an hour %.2f %% of a processor\n",
		float64(m.compiled)/float64(max(m.asked, 1)), each, m.perHour, each*m.perHour/36_000)
}
