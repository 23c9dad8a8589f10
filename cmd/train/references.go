package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// referenceQuestion is a question about a definition with the answer of a language server. It is a
// line of the file of known answers.
type referenceQuestion struct {
	Repo, Kind      string // callers or implementations
	Path, Container string
	Name            string
	At              []textPosition // of the name, where it is defined
	Answer          []lineOf
	Open            []lineOf // that may be answers, which counts as neither right nor wrong
}

// lineOf is a line of a file, from 0.
type lineOf struct {
	Path string
	Line int
}

// measureReferences asks the program for the callers of functions and the implementations of types
// that are drawn from repositories, compares the answers with those of a language server, and
// prints precision and recall. A file keeps the server's answers between runs.
func measureReferences(args []string) error {
	flags := flag.NewFlagSet("train references", flag.ContinueOnError)
	mirrors := flags.String("mirrors", "", "the `folder` with bare repositories, owner+name/repo")
	work := flags.String("work", os.TempDir(), "a `folder` for checkouts and indexes")
	repos := flags.String("repos", "", "the `repositories` owner/name, separated by commas")
	languages := flags.String("languages", "go", "the `languages` of the definitions, separated by commas")
	server := flags.String("server", "", "the `command` of a language server that speaks on standard input and output")
	options := flags.String("options", "", "the JSON `object` of initialization options that the server is given")
	known := flags.String("answers", "", "the JSON Lines `file` with the server's answers; written when it does not exist")
	callers := flags.Int("callers", 14, "the `number` of questions about callers from each repository")
	implementations := flags.Int("implementations", 6, "the `number` of questions about implementations from each repository")
	settle := flags.Duration("settle", 0, "how `long` a server that answers before it has read all files needs for them")
	seed := flags.String("seed", "1", "the `text` by which definitions are drawn")
	list := flags.Bool("list", false, "also list the lines that only one of the two has")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *mirrors == "" || *repos == "" || *known == "" {
		return errors.New("references: -mirrors, -repos and -answers are required")
	}
	ctx := context.Background()
	c := &collection{mirrors: *mirrors, work: *work}
	questions, err := readRows[referenceQuestion](*known)
	isAsked := errors.Is(err, os.ErrNotExist)
	if err != nil && !isAsked {
		return err
	}
	var all []referenceScore
	for repo := range strings.SplitSeq(*repos, ",") {
		s, root, done, err := c.newest(ctx, repo)
		if err != nil {
			return err
		}
		draw := drawing{repo, strings.Split(*languages, ","), map[string]int{"callers": *callers, "implementations": *implementations}, *seed, *settle}
		if isAsked {
			found, err := draw.questions(ctx, s, root, *server, *options)
			if err != nil {
				return err
			}
			questions = append(questions, found...)
		}
		for _, q := range questions {
			if q.Repo == repo {
				all = append(all, q.score(ctx, s, *list))
			}
		}
		done()
	}
	if isAsked {
		if err := writeRows(*known, questions); err != nil {
			return err
		}
	}
	return reportReferences(os.Stdout, all)
}

// newest returns the index of the newest commit of a repository, and its checkout.
func (c *collection) newest(ctx context.Context, repo string) (*indexer.Snapshot, string, func(), error) {
	name := strings.ReplaceAll(repo, "/", "+")
	head, err := exec.Command("git", "-C", filepath.Join(c.mirrors, name, "repo"), "rev-parse", "HEAD").Output()
	if err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", repo, err)
	}
	root := filepath.Join(c.work, "tree", name)
	if have, err := exec.Command("git", "-C", root, "rev-parse", "base").Output(); err != nil || string(have) != string(head) {
		if root, err = c.checkout(repo, strings.TrimSpace(string(head))); err != nil {
			return nil, "", nil, err
		}
	}
	s, done, err := c.index(ctx, root, "references-"+name)
	return s, root, done, err
}

func writeRows[T any](file string, rows []T) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// drawing says which definitions of a repository become questions: those of some languages, a
// number of each kind, in an order that follows from the seed.
type drawing struct {
	repo      string
	languages []string
	count     map[string]int
	seed      string
	settle    time.Duration
}

// questions draws definitions and asks the server about them. Types without implementations are no
// questions; functions without callers are.
func (w drawing) questions(ctx context.Context, s *indexer.Snapshot, root, command, options string) ([]referenceQuestion, error) {
	server, err := startServer(command, options, root)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	var out []referenceQuestion
	have := map[string]int{}
	time.Sleep(w.settle)
	for _, q := range w.candidates(ctx, s) {
		if have[q.Kind] == w.count[q.Kind] {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, q.Path))
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(text), "\n")
		for i := range q.At {
			at := &q.At[i]
			last := min(at.Line+8, len(lines)-1)
			for at.Line < last && !wordIn(lines[at.Line], q.Name, at) {
				at.Line++
			}
		}
		if err := server.answer(&q); err != nil {
			fmt.Fprintf(os.Stderr, "%s %s %s: %v\n", w.repo, q.Path, q.Name, err)
			continue
		}
		if q.Kind == "implementations" && len(q.Answer) == 0 {
			continue
		}
		have[q.Kind]++
		out = append(out, q)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", w.repo, have)
	return out, nil
}

// wordIn sets the column of a word in a line and reports whether the line has it.
func wordIn(line, word string, at *textPosition) bool {
	found := regexp.MustCompile(`(?:^|\W)(` + regexp.QuoteMeta(word) + `)(?:\W|$)`).FindStringSubmatchIndex(line)
	if found == nil {
		return false
	}
	at.Character = len([]rune(line[:found[2]]))
	return true
}

// candidates returns the definitions that can be asked about, without answers, in the order of the
// seed. Definitions of one name in one type of one file, such as overloads, are one question.
func (w drawing) candidates(ctx context.Context, s *indexer.Snapshot) []referenceQuestion {
	byID := map[string]*referenceQuestion{}
	_ = s.Symbols().Containing(ctx, "", func(d indexer.Symbol) bool {
		kind := "implementations"
		switch {
		case !slices.Contains(w.languages, s.Language(d.File)):
			return true
		case retrieve.IsCallable(d) && d.Kind != "macro":
			kind = "callers"
		case !slices.Contains([]string{"interface", "class", "trait"}, d.Kind):
			return true
		}
		id := strings.Join([]string{kind, d.Path, d.Container, d.Name}, "\x00")
		if byID[id] == nil {
			byID[id] = &referenceQuestion{Repo: w.repo, Kind: kind, Path: d.Path, Container: strings.TrimLeft(d.Container, "*&"), Name: d.Name}
		}
		byID[id].At = append(byID[id].At, textPosition{Line: d.Line})
		return true
	})
	var out []referenceQuestion
	for _, q := range byID {
		out = append(out, *q)
	}
	order := func(q referenceQuestion) uint32 { return hash(w.seed, q.Kind, q.Path, q.Container, q.Name) }
	slices.SortFunc(out, func(a, b referenceQuestion) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.Path+a.Container+a.Name, b.Path+b.Container+b.Name))
	})
	return out
}

// referenceScore is one question's result.
type referenceScore struct {
	referenceQuestion
	language           string
	right, wrong, miss int
	took               time.Duration
}

// likely is the probability from which a line counts as found.
const likely = .5

// score asks the program.
func (q referenceQuestion) score(ctx context.Context, s *indexer.Snapshot, list bool) referenceScore {
	out := referenceScore{referenceQuestion: q}
	if f, ok := s.File(q.Path); ok {
		out.language = s.Language(f)
	}
	name := q.Name
	if q.Container != "" {
		name = q.Container + "." + q.Name
	}
	start := time.Now()
	found := retrieve.LookUp(ctx, s, retrieve.SymbolQuery{Name: name, Path: q.Path, Limit: 1 << 20})
	out.took = time.Since(start)
	texts := map[lineOf]string{}
	for _, o := range found.Occurrences {
		if q.Kind == "callers" && o.Calls && o.Chance >= likely {
			texts[lineOf{o.Path, o.Line}] = o.Text
		}
	}
	for _, d := range found.Implementations {
		if q.Kind == "implementations" {
			texts[lineOf{d.Path, d.Line}] = d.Signature
		}
	}
	for _, a := range q.Answer {
		if _, ok := texts[a]; ok {
			out.right++
		} else {
			out.miss++
			if list {
				fmt.Printf("misses %s of %s (%s): %s:%d\n", q.Kind, name, q.Path, a.Path, a.Line+1)
			}
		}
	}
	for at, text := range texts {
		if !slices.Contains(q.Answer, at) && !slices.Contains(q.Open, at) {
			out.wrong++
			if list {
				fmt.Printf("wrong %s of %s (%s): %s:%d: %s\n", q.Kind, name, q.Path, at.Path, at.Line+1, text)
			}
		}
	}
	return out
}

// reportReferences prints precision and recall by kind, language and repository: of all lines, and
// the mean over the questions that have any.
func reportReferences(w io.Writer, all []referenceScore) error {
	type sum struct {
		questions, right, wrong, miss int
		precision, recall             float64
		answered, answerable          int
		took                          []time.Duration
	}
	sums := map[string]*sum{}
	for _, r := range all {
		for _, key := range []string{r.Kind + "\t" + r.language + "\t" + r.Repo, r.Kind + "\t" + r.language + "\tall"} {
			t := sums[key]
			if t == nil {
				t = &sum{}
				sums[key] = t
			}
			t.questions++
			t.right, t.wrong, t.miss = t.right+r.right, t.wrong+r.wrong, t.miss+r.miss
			t.took = append(t.took, r.took)
			if n := r.right + r.wrong; n > 0 {
				t.answered, t.precision = t.answered+1, t.precision+float64(r.right)/float64(n)
			}
			if n := r.right + r.miss; n > 0 {
				t.answerable, t.recall = t.answerable+1, t.recall+float64(r.right)/float64(n)
			}
		}
	}
	keys := make([]string, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "kind\tlanguage\trepository\tquestions\tlines\tprecision %\trecall %\tmean precision %\tmean recall %\tmedian ms\tp95 ms\t")
	share := func(part float64, whole int) float64 { return 100 * part / float64(max(whole, 1)) }
	for _, key := range keys {
		t := sums[key]
		slices.Sort(t.took)
		fmt.Fprintf(out, "%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%d\t%d\t\n", key, t.questions, t.right+t.miss,
			share(float64(t.right), t.right+t.wrong), share(float64(t.right), t.right+t.miss), share(t.precision, t.answered), share(t.recall, t.answerable),
			t.took[len(t.took)/2].Milliseconds(), t.took[len(t.took)*95/100].Milliseconds())
	}
	return out.Flush()
}
