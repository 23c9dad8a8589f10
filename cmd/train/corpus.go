package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// line is a labelled sentence in its dialogue.
type line struct {
	text, before string
	persona      string
	lang         string
	role         utterance.Role
	place, of    int // in its message
	listed       bool
	labels       [utterance.NumLabels]bool
	subject      string
	where        string // file:line
}

// letters are the labels of the corpus that the model scores.
var letters = map[byte]utterance.Label{
	'R': utterance.Directive, 'D': utterance.Decision, 'W': utterance.Proposal,
	'O': utterance.Order, 'Q': utterance.Question, 'P': utterance.Problem, 'F': utterance.Fixed,
}

var (
	labelled = regexp.MustCompile(`^([RODWQAPFSxl]+)(?:#(\S+))? (.+)$`)
	span     = regexp.MustCompile(`\{[+-]([^{}]*)\}`)
	attr     = regexp.MustCompile(`(\w+)=(\S+)`)
)

// readCorpus reads all dialogues of a folder, in the order of the file names.
func readCorpus(dir string) ([]line, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no dialogues in %s: %w", dir, err)
	}
	slices.Sort(files)
	var out []line
	for _, f := range files {
		lines, err := readDialogues(f)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	return out, nil
}

func readDialogues(file string) ([]line, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []line
	persona, lang, before := "", "", ""
	role, first := utterance.Person, 0 // of the message, and where its lines begin
	end := func() {
		for i := first; i < len(out); i++ {
			out[i].place, out[i].of = i-first, len(out)-first
		}
		first = len(out)
	}
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		text := strings.TrimRight(scan.Text(), " \t")
		switch {
		case text == "" || strings.HasPrefix(text, "# "):
		case strings.HasPrefix(text, "=="):
			end()
			before = ""
			for _, m := range attr.FindAllStringSubmatch(text, -1) {
				switch m[1] {
				case "persona":
					persona = m[2]
				case "lang":
					lang = m[2]
				}
			}
		case text == "u", text == "a", text == "t":
			end()
			role = map[string]utterance.Role{"u": utterance.Person, "a": utterance.Assistant, "t": utterance.Tool}[text]
		default:
			m := labelled.FindStringSubmatch(text)
			if m == nil {
				return nil, fmt.Errorf("%s:%d: not a labelled sentence: %q", file, n, text)
			}
			l := line{text: span.ReplaceAllString(m[3], "$1"), before: before, persona: persona, lang: lang, role: role, subject: m[2], where: fmt.Sprintf("%s:%d", filepath.Base(file), n)}
			if t, ok := strings.CutPrefix(l.text, "- "); ok {
				l.text, l.listed = t, true
			}
			for i := range len(m[1]) {
				if label, ok := letters[m[1][i]]; ok {
					l.labels[label] = true
				}
			}
			l.labels[utterance.Change] = strings.Contains(m[1], "x")
			before = l.text
			out = append(out, l)
		}
	}
	end()
	return out, scan.Err()
}

// describe prints the contents of the corpus.
func describe(lines []line) {
	voices, langs := map[string]bool{}, map[string]int{}
	var count [utterance.NumLabels]int
	for _, l := range lines {
		voices[l.persona] = true
		langs[l.lang]++
		for i, is := range l.labels {
			if is {
				count[i]++
			}
		}
	}
	fmt.Printf("%d sentences, %d voices, %d languages\n", len(lines), len(voices), len(langs))
	for i, n := range count {
		fmt.Printf("  %-10s %5d\n", utterance.Label(i), n)
	}
}
