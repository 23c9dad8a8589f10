package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// labelledSession is a recorded session with labelled quotations.
type labelledSession struct {
	Repo     string `json:"repo"`
	Messages []struct {
		Role string `json:"role"`
		Host bool   `json:"host"` // written by the host in the person's place
		Text string `json:"text"`
	} `json:"messages"`
	Labels []labelledQuotation `json:"labels"`
}

// labelledQuotation is a part of a message, with single spaces.
type labelledQuotation struct {
	At    int    `json:"i"` // its message
	Quote string `json:"quote"`
	Label string `json:"label"`
	Keep  bool   `json:"keep"` // it still holds after the session
}

// recordedPrompt is a prompt with what was said before it.
type recordedPrompt struct {
	Repo    string `json:"repo"`
	Prompt  string `json:"prompt"`
	History []struct {
		Role string `json:"role"`
		Text string `json:"text"`
	} `json:"history"`
}

// statement is a sentence of a person with its worth.
type statement struct {
	utterance.Statement
	worth utterance.Worth
	group string // its repository; "" for the corpus of dialogues
	fold  int    // of its speaker, in the corpus
	text  string
}

// worthOf maps the labels of quotations that are kept to worths, worthLetters those of
// testdata/statements.txt.
var (
	worthOf = map[string]utterance.Worth{
		"rule": utterance.Rule, "preference": utterance.Rule, "decision": utterance.Choice, "fact": utterance.Fact, "fixed": utterance.Fact, "problem": utterance.Trouble,
	}
	worthLetters = map[string]utterance.Worth{"R": utterance.Rule, "D": utterance.Choice, "F": utterance.Fact, "P": utterance.Trouble, "X": utterance.Foreign}
)

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// statementsOf returns the statements of a person's message. worth returns that of a sentence.
func statementsOf(group, text, before string, worth func(s utterance.Sentence) utterance.Worth) (out []statement) {
	read, inputs := utterance.ReadStatements(text, lastSentence(before))
	for i, x := range inputs {
		out = append(out, statement{Statement: x, worth: worth(read[i].Sentence), group: group, text: flat(text[read[i].Start:read[i].End])})
	}
	return out
}

func lastSentence(text string) string {
	s := utterance.Sentences(text)
	if len(s) == 0 {
		return ""
	}
	return text[s[len(s)-1].Start:s[len(s)-1].End]
}

// readSessions returns the statements of a set of labelled sessions.
func readSessions(file string) (out []statement, err error) {
	sessions, err := readRows[labelledSession](file)
	for _, s := range sessions {
		before := ""
		for i, m := range s.Messages {
			if m.Role != "user" {
				before = m.Text
				continue
			}
			at, whole := 0, flat(m.Text)
			out = append(out, statementsOf(s.Repo, m.Text, before, func(sentence utterance.Sentence) utterance.Worth {
				if m.Host {
					return utterance.Foreign
				}
				t := flat(m.Text[sentence.Start:sentence.End])
				if k := strings.Index(whole[at:], t); k >= 0 {
					at += k
				}
				return s.worth(i, whole, at, at+len(t))
			})...)
		}
	}
	return out, err
}

const (
	sameShare = .6 // of a sentence that a quotation covers: then it has the quotation's label
	leastPart = 24 // bytes of a sentence of a quotation that counts as one of its own
)

// worth returns the worth of a part of a message: that of a quotation that covers most of it, or of
// one, or of a sentence of one, that it contains.
func (s *labelledSession) worth(message int, text string, from, to int) utterance.Worth {
	worth := utterance.Passing
	for _, l := range s.Labels {
		quote := strings.Trim(flat(l.Quote), "… ")
		at := strings.Index(text, quote)
		foreign := l.Label == "pasted"
		if l.At != message || at < 0 || !foreign && !l.Keep || foreign && worth != utterance.Passing {
			continue
		}
		parts := [][2]int{{at, at + len(quote)}}
		for _, part := range utterance.Sentences(quote) {
			if !foreign && part.End-part.Start >= leastPart {
				parts = append(parts, [2]int{at + part.Start, at + part.End})
			}
		}
		for _, part := range parts {
			common := min(to, part[1]) - max(from, part[0])
			if common <= 0 || float64(common) < sameShare*float64(to-from) && common < part[1]-part[0] {
				continue
			}
			if worth = worthOf[l.Label]; foreign {
				worth = utterance.Foreign
			}
		}
	}
	return worth
}

// hashOf identifies a sentence without its text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(flat(text)))
	return hex.EncodeToString(sum[:6])
}

// readPrompts returns the statements of recorded prompts and of what was said before them, with the
// labels of a file: lines with the hash of a sentence and a letter.
func readPrompts(file, labels string) (out []statement, err error) {
	prompts, err := readRows[recordedPrompt](file)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(labels)
	if err != nil {
		return nil, err
	}
	worth := map[string]utterance.Worth{}
	for line := range strings.Lines(string(b)) {
		hash, letter, _ := strings.Cut(strings.TrimSpace(line), " ")
		w, known := worthLetters[letter]
		if !known {
			return nil, fmt.Errorf("%s: %q has none of the letters of worths", labels, line)
		}
		worth[hash] = w
	}
	seen := map[string]bool{}
	for _, r := range prompts {
		before := ""
		add := func(text string) {
			text = strings.TrimSpace(text)
			if !seen[r.Repo+text] {
				seen[r.Repo+text] = true
				out = append(out, statementsOf(r.Repo, text, before, func(s utterance.Sentence) utterance.Worth { return worth[hashOf(text[s.Start:s.End])] })...)
			}
		}
		for _, h := range r.History {
			if h.Role == "user" {
				add(h.Text)
			} else {
				before = h.Text
			}
		}
		add(r.Prompt)
	}
	return out, nil
}

// spokenStatements returns the statements of the corpus of dialogues, scored by models that were
// fitted without the speaker.
func spokenStatements(lines []line, p utterance.Parameters, margins [][utterance.NumLabels]float64, folds []int) (out []statement) {
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && lines[i+n].place > 0 {
			n++
		}
		if lines[i].role == utterance.Person {
			out = append(out, spokenMessage(lines[i:i+n], p, margins[i:i+n], folds[i])...)
		}
		i += n
	}
	return out
}

// spokenMessage returns the statements of one message of the corpus.
func spokenMessage(lines []line, p utterance.Parameters, margins [][utterance.NumLabels]float64, fold int) (out []statement) {
	var text strings.Builder
	var read []utterance.ScoredSentence
	for k, l := range lines {
		// People write one line, a line for each sentence, or a list.
		listed := l.listed || len(lines)%3 == 0
		switch {
		case listed:
			text.WriteString("\n- ")
		case k > 0 && len(lines)%3 == 1:
			text.WriteByte('\n')
		case k > 0:
			text.WriteByte(' ')
		}
		from := text.Len()
		text.WriteString(l.text)
		s := utterance.ScoredSentence{Sentence: utterance.Sentence{Start: from, End: text.Len(), Listed: listed}}
		for j := range s.Scores {
			s.Scores[j] = logistic(p.Slope[j]*margins[k][j] + p.Offset[j])
		}
		read = append(read, s)
	}
	for k, x := range utterance.Statements(text.String(), read, 0) {
		s := statement{Statement: x, fold: fold, text: lines[k].text}
		switch l := lines[k].labels; {
		case l[utterance.Directive]:
			s.worth = utterance.Rule
		case l[utterance.Decision]:
			s.worth = utterance.Choice
		case l[utterance.Problem]:
			s.worth = utterance.Trouble
		}
		out = append(out, s)
	}
	return out
}

// Settings of the fit, chosen on repositories and speakers that were left out.
const (
	worthRate     = .1
	worthRounds   = 8
	signRidge     = 1e-2
	wordRidge     = 1e-1
	recordedShare = 30 // the weight of a recorded sentence; the corpus has five times as many
	worthFolds    = 5  // of the speakers of the corpus
)

// fitWorths fits a multinomial logistic regression by AdaGrad (Duchi, Hazan and Singer, 2011). The
// same statements in the same order give the same model.
func fitWorths(list []statement) *utterance.Worths {
	m, squares := utterance.NewWorths(), utterance.NewWorths()
	step := func(p, square *float64, gradient, ridge float64) {
		gradient += ridge * *p
		*square += gradient * gradient
		*p -= worthRate * gradient / (math.Sqrt(*square) + 1e-6)
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range worthRounds {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			s := &list[i]
			scale := 1 / math.Sqrt(float64(max(1, len(s.Words))))
			for l, p := range m.Kinds(&s.Statement) {
				d := p
				if int(s.worth) == l {
					d--
				}
				if s.group != "" {
					d *= recordedShare
				}
				step(&m.Bias[l], &squares.Bias[l], d, 0)
				for j, v := range s.Signs {
					if v != 0 {
						step(&m.Signs[j][l], &squares.Signs[j][l], d*float64(v), signRidge)
					}
				}
				for _, h := range s.Words {
					step(&m.Words[h][l], &squares.Words[h][l], d*scale, wordRidge)
				}
			}
		}
	}
	return m
}

// trainStatements fits the model of worths, prints its results on repositories and speakers that it
// was not fitted to, and writes it.
func trainStatements(args []string) error {
	flags := flag.NewFlagSet("statements", flag.ContinueOnError)
	set := flags.String("set", "", "gzipped JSON Lines `file` of sessions with labelled quotations")
	said := flags.String("said", "", "gzipped JSON Lines `file` of recorded prompts")
	labels := flags.String("labels", "testdata/statements.txt", "the `file` with the labels of their sentences, by hash")
	corpus := flags.String("corpus", "testdata/utterances", "the `folder` with the labelled dialogues")
	out := flags.String("out", "memory/utterance/worths.bin", "the `file` to write")
	without := flags.String("without", "", "leave out these `repositories`, separated by commas")
	show := flags.Bool("errors", false, "also print the worst mistakes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *set == "" || *said == "" {
		return errors.New("statements needs -set and -said")
	}
	lines, err := readCorpus(*corpus)
	if err != nil {
		return err
	}
	p, margins := crossValidate(lines, worthFolds)
	all := spokenStatements(lines, p, margins, foldsOf(lines, worthFolds))
	sessions, err := readSessions(*set)
	if err != nil {
		return err
	}
	prompts, err := readPrompts(*said, *labels)
	if err != nil {
		return err
	}
	all = slices.Concat(all, sessions, prompts)
	all = slices.DeleteFunc(all, func(s statement) bool { return s.group != "" && slices.Contains(strings.Split(*without, ","), s.group) })
	reportWorths(all, *show)
	b := fitWorths(all).Encode()
	if err := os.WriteFile(*out, b, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes\n", *out, len(b))
	return nil
}

// judged is a statement with the probabilities of a model that was not fitted to its repository or
// speaker.
type judged struct {
	statement
	kinds utterance.Kinds
}

// judge returns the statements by group, each judged by a model of the others.
func judge(all []statement) map[string][]judged {
	part := func(s statement) string {
		if s.group == "" {
			return fmt.Sprint("speakers ", s.fold)
		}
		return s.group
	}
	var parts []string
	for _, s := range all {
		if !slices.Contains(parts, part(s)) {
			parts = append(parts, part(s))
		}
	}
	models := make([]*utterance.Worths, len(parts))
	each(len(parts), func(i int) {
		models[i] = fitWorths(slices.DeleteFunc(slices.Clone(all), func(s statement) bool { return part(s) == parts[i] }))
	})
	out := map[string][]judged{}
	for _, s := range all {
		j := judged{s, models[slices.Index(parts, part(s))].Kinds(&s.Statement)}
		out[cmp.Or(s.group, "dialogues")] = append(out[cmp.Or(s.group, "dialogues")], j)
		if s.group != "" {
			out["all recorded"] = append(out["all recorded"], j)
		}
	}
	return out
}

// isKept reports whether a statement is worth keeping.
func isKept(w utterance.Worth) bool { return w != utterance.Passing && w != utterance.Foreign }

// reportWorths prints the average precision, and precision and recall at several probabilities, of
// models that were fitted without the repository or the speaker.
func reportWorths(all []statement, show bool) {
	sets := judge(all)
	line := func(name string, list []judged, p func(k utterance.Kinds) float64, is func(w utterance.Worth) bool) {
		scores := make([]scored, len(list))
		n := 0
		for i, s := range list {
			scores[i] = scored{p(s.kinds), is(s.worth), i}
			if is(s.worth) {
				n++
			}
		}
		slices.SortStableFunc(scores, func(a, b scored) int { return cmp.Compare(b.p, a.p) })
		fmt.Printf("%-40s %5d of %5d AP %.3f ", name, n, len(list), averagePrecision(scores))
		for _, at := range []float64{.25, .4, .5, .6, .8} {
			precision, recall := at2(scores, at)
			fmt.Printf("  %.2f: %.2f/%.2f", at, precision, recall)
		}
		fmt.Println()
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		line(name+", kept", sets[name], utterance.Kinds.Kept, isKept)
		line(name+", foreign", sets[name], func(k utterance.Kinds) float64 { return k[utterance.Foreign] }, func(w utterance.Worth) bool { return w == utterance.Foreign })
	}
	if !show {
		return
	}
	list := sets["all recorded"]
	slices.SortStableFunc(list, func(a, b judged) int { return cmp.Compare(b.kinds.Kept(), a.kinds.Kept()) })
	for i, s := range list {
		if !isKept(s.worth) && i < len(list)/6 {
			fmt.Printf("    wrong %.2f %s\n", s.kinds.Kept(), s.text)
		} else if isKept(s.worth) && i > len(list)/2 {
			fmt.Printf("    missed %.2f %s\n", s.kinds.Kept(), s.text)
		}
	}
}
