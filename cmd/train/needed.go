package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/tickle"
	"github.com/contexture-dev/contexture/server/capture"
)

// recorded is a repository with sessions that were recorded while people worked on it, and
// questions about what was said there. A question without Match is about what was never said.
type recorded struct {
	Repo, Commit, Source string
	Sessions             []string // objects of the repository, or paths at Commit
	Questions            []struct{ Question, Match string }
}

// trainNeeded fits the probability that a prompt needs what was said, and writes
// context/recall/needed.json, and the same of the turn that a reminder points at.
//
// Beside the questions it asks prompts about code, which need the workspace instead: those of a
// file, and titles of commits that are older than all sessions.
func trainNeeded(args []string) error {
	flags := flag.NewFlagSet("train needed", flag.ContinueOnError)
	set := flags.String("set", "", "the `file` with recorded sessions and questions about them")
	prompts := flags.String("code", "testdata/questions/code.jsonl", "the `file` with prompts about code of the same repositories")
	mirrors := flags.String("mirrors", "", "the `folder` with the repositories, bare: owner+name/repo")
	work := flags.String("work", "", "a `folder` for checkouts and indexes")
	out := flags.String("out", "context/recall/needed.json", "the `file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *set == "" || *work == "" {
		return errors.New("needed: -set and -work are required")
	}
	rows, err := readRows[recorded](*set)
	if err != nil {
		return err
	}
	code, err := readRows[question](*prompts)
	if err != nil {
		return err
	}
	c := &collection{mirrors: *mirrors, work: *work}
	var all, reminders []askedOnce
	for _, r := range rows {
		for _, q := range code {
			if q.Repo == r.Repo {
				r.code(q.Text)
			}
		}
		list, reminding, err := c.needs(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Repo, err)
		}
		all, reminders = append(all, list...), append(reminders, reminding...)
	}
	weigh(all)
	weighKinds(reminders)
	model := recall.Need{
		About:   fmt.Sprintf("go run ./cmd/train needed; %d prompts about %d repositories", len(all), len(rows)),
		Weights: rounded(fitChances(itemsOf(all, ""))), Reminder: rounded(fitChances(itemsOf(reminders, ""))),
	}
	fmt.Println("prompts:")
	reportNeeded(all)
	fmt.Println("reminders:")
	reportNeeded(reminders)
	b, err := json.MarshalIndent(model, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(b, '\n'), 0o644)
}

// weighKinds sets the weights so that the prompts that ask for what was said count as much as the
// others.
func weighKinds(all []askedOnce) {
	n := map[bool]float64{}
	for _, a := range all {
		n[a.own]++
	}
	for i := range all {
		all[i].weight = 1 / n[all[i].own]
	}
}

// code adds a prompt about code.
func (r *recorded) code(text string) {
	r.Questions = append(r.Questions, struct{ Question, Match string }{Question: text})
}

// reportNeeded prints what the model has for the prompts of each repository, fitted without it.
func reportNeeded(all []askedOnce) {
	chances := leftOut(all)
	for _, repo := range dialoguesOf(all) {
		var needed, other []float64
		for i, a := range all {
			switch {
			case a.dialogue != repo:
			case a.helps > 0:
				needed = append(needed, chances[i])
			default:
				other = append(other, chances[i])
			}
		}
		slices.Sort(needed)
		slices.Sort(other)
		above, pairs := 0, max(1, len(needed)*len(other))
		for _, n := range needed {
			k, _ := slices.BinarySearch(other, n)
			above += k
		}
		fmt.Printf("%s: needed %d, median %.2f; others %d, median %.2f; in order %.2f\n",
			repo, len(needed), median(needed), len(other), median(other), float64(above)/float64(pairs))
	}
}

func median(sorted []float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[len(sorted)/2]
}

// needs asks the prompts of a repository, and returns those for which something was found, and the
// reminders for all of them.
func (c *collection) needs(r recorded) (prompts, reminders []askedOnce, err error) {
	ctx := context.Background()
	root, err := c.checkout(r.Repo, r.Commit)
	if err != nil {
		return nil, nil, err
	}
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		return nil, nil, err
	}
	m, done, err := openMemory(ctx, counter.Count)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	w, err := m.Workspace(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	first, err := c.remember(ctx, r, root, w)
	if err != nil {
		return nil, nil, err
	}
	titles, err := titlesBefore(root, first)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range titles {
		r.code(t)
	}
	s, release, err := c.index(ctx, root, "needed-"+strings.ReplaceAll(r.Repo, "/", "+"))
	if err != nil {
		return nil, nil, err
	}
	defer release()
	v := w.View()
	defer v.Close()
	for _, q := range r.Questions {
		p, k, err := r.need(ctx, s, v, q.Question, q.Match, counter.Count)
		if err != nil {
			return nil, nil, err
		}
		prompts, reminders = append(prompts, p...), append(reminders, k...)
	}
	return prompts, reminders, nil
}

// need asks a prompt. It is not returned if nothing was found, or not what it asks for.
func (r *recorded) need(ctx context.Context, s *indexer.Snapshot, v *memory.View, text, match string, count func(string) int) (prompt, reminders []askedOnce, err error) {
	answer, err := regexp.Compile(match)
	if err != nil {
		return nil, nil, err
	}
	answers := func(text string) bool { return match != "" && answer.MatchString(text) }
	signals := intent.Classify(text, intent.Context{})
	res, err := recall.Build(ctx, recall.Request{ // as for a bundle's passages
		Query: text, Budget: passagesBudget, MemoryType: "turn", Recency: signals.Recency,
	}, &remember.Found{View: v, Counter: count, Words: wordsOf})
	if err != nil {
		return nil, nil, err
	}
	asked := func(features []float64, helps bool) askedOnce {
		a := askedOnce{set: "all", own: match != "", shownItem: shownItem{dialogue: r.Repo, features: features}}
		if helps {
			a.helps = 1
		}
		return a
	}
	said, best := res.Evidence.Said(), bestPlace(ctx, s, text)
	if helps := answers(res.Text); len(res.Items) > 0 && helps == (match != "") {
		prompt = []askedOnce{asked(recall.NeedFeatures(said, best), helps)}
	}
	list, err := (&remember.Ticklers{View: v}).ForPrompt(ctx, signals, mostReminders)
	if err != nil {
		return nil, nil, err
	}
	var scores []float64
	for _, k := range list {
		scores = append(scores, k.Score)
	}
	for i, chance := range recall.Chances(text, scores, scores) {
		turn, err := textOf(v, list[i])
		if err != nil {
			return nil, nil, err
		}
		reminders = append(reminders, asked(recall.ReminderFeatures(chance, said, best), answers(turn)))
	}
	return prompt, reminders, nil
}

// mostReminders is how many reminders each prompt is given.
const mostReminders = 3

// textOf returns what was said in the turn that a reminder points at.
func textOf(v *memory.View, k tickle.Tickler) (string, error) {
	info, err := v.Conversations.Find(k.ConversationID)
	if err != nil {
		return "", err
	}
	turn, err := v.Conversations.Turn(info, k.Turn)
	var b strings.Builder
	for _, m := range turn.Messages {
		if m.Role != dialogue.Tool {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String(), err
}

// passagesBudget is the size of what was said in tokens, about that in a bundle.
const passagesBudget = 2000

// bestPlace returns the chance of the best place for a prompt.
func bestPlace(ctx context.Context, s *indexer.Snapshot, text string) float64 {
	res := retrieve.Run(ctx, s, retrieve.Request{
		Query: text, Intent: intent.Classify(text, intent.Context{}), Mode: retrieve.Hybrid, Limit: 300, Deadline: time.Minute,
	}, time.Now)
	best := 0.0
	for _, c := range res.Worth() {
		best = max(best, c.Score)
	}
	return best
}

// remember stores the sessions of a repository, and returns when the first began.
func (c *collection) remember(ctx context.Context, r recorded, root string, w *memory.Workspace) (first time.Time, err error) {
	home, err := os.MkdirTemp("", "train-needed-")
	if err != nil {
		return first, err
	}
	defer os.RemoveAll(home)
	logs := map[string]string{"claude-code": filepath.Join(home, ".claude/projects/logs"), "specstory": filepath.Join(root, ".specstory/history")}
	dir, ok := logs[r.Source]
	if !ok {
		return first, fmt.Errorf("logs of %s are not read", r.Source)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return first, err
	}
	for i, name := range r.Sessions {
		if !blob.MatchString(name) {
			name = r.Commit + ":" + name
		}
		log, err := exec.Command("git", "-C", root, "cat-file", "blob", name).Output()
		if err != nil {
			return first, fmt.Errorf("session %s: %w", name, err)
		}
		file := fmt.Sprintf("%03d.md", i)
		if id := sessionID.FindSubmatch(log); r.Source != "specstory" && id != nil {
			file = string(id[1]) + ".jsonl"
		}
		if err := os.WriteFile(filepath.Join(dir, file), log, 0o644); err != nil {
			return first, err
		}
	}
	into := &sessionStore{workspace: w}
	f := capture.New(capture.Options{
		StateDir: filepath.Join(home, "state"), Store: into,
		Environment: capture.Environment{Home: home, Roots: func() []string { return []string{root} }},
	})
	_, err = f.Import(ctx, []string{r.Source}, time.Time{})
	return into.first, errors.Join(err, os.RemoveAll(filepath.Join(root, ".specstory"))) // they are not of the workspace
}

var (
	blob      = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sessionID = regexp.MustCompile(`"sessionId" ?: ?"([^"/]+)"`)
)

// sessionStore stores the sessions of logs in one memory, wherever they took place.
type sessionStore struct {
	workspace *memory.Workspace
	first     time.Time // of the messages with a time
}

// Store implements capture.Store.
func (s *sessionStore) Store(_ context.Context, a capture.Addition) (capture.StoreResult, error) {
	if a.Turn != nil {
		a.Turn()
	}
	if at := a.Messages[0].At; !at.IsZero() && (s.first.IsZero() || at.Before(s.first)) {
		s.first = at
	}
	res, err := s.workspace.Append(memory.Addition{Conversation: a.Conversation, Messages: a.Messages})
	return capture.StoreResult{Added: res.Messages}, err
}

// mostTitles is how many titles of commits of one repository are asked, leastWords of how many
// words.
const mostTitles, leastWords = 60, 4

// titlesBefore returns titles of commits from before a time, in a fixed order by chance.
func titlesBefore(root string, first time.Time) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "log", "--no-merges", "--format=%s", "--before="+first.Format(time.RFC3339), "base").Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	var titles []string
	for t := range strings.Lines(string(out)) {
		t = conventional.ReplaceAllString(strings.TrimSpace(t), "")
		if len(strings.Fields(t)) >= leastWords {
			titles = append(titles, t)
		}
	}
	slices.Sort(titles)
	titles = slices.Compact(titles)
	slices.SortFunc(titles, func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), strings.Compare(a, b)) })
	return titles[:min(mostTitles, len(titles))], nil
}

// conventional is the kind of a change before a commit's title.
var conventional = regexp.MustCompile(`^\w+(\([^)]*\))?!?: `)
