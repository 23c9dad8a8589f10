package rewrite

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed prompts/title.txt
var titlePrompt string

// Untitled is a topic in the form shown to a model: its current label, its other names, and
// sentences about it.
type Untitled struct {
	Label             string
	Names, Quotations []string
}

// TitleTask asks a model for labels of topics. The words of a label are people's own.
type TitleTask struct {
	Request Request
	list    []Untitled
	opts    Options
}

// MostTitled is the largest number of topics in one task; the other constants bound a label.
const (
	MostTitled     = 5
	mostTitleWords = 4
	mostTitleRunes = 60
	unbrokenWord   = 4 // letters that count as one word in scripts without spaces
)

// Title returns the task for the first of the topics, at most MostTitled; ok is false if they do
// not fit into the model's window.
func Title(list []Untitled, o Options) (task TitleTask, ok bool) {
	list = list[:min(MostTitled, len(list))]
	if len(list) == 0 {
		return TitleTask{}, false
	}
	var b strings.Builder
	for i, t := range list {
		fmt.Fprintf(&b, "Number %d\n%s\n", i+1, o.Block("label", t.Label))
		if len(t.Names) > 0 {
			fmt.Fprintf(&b, "%s\n", o.Block("names", strings.Join(t.Names, "\n")))
		}
		for _, q := range t.Quotations {
			fmt.Fprintf(&b, "%s\n", o.Block("sentence", q))
		}
	}
	schema := `{"type":"object","properties":{"titles":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},` +
		`"label":{"type":"string"}},"required":["n","label"],"additionalProperties":false}}},"required":["titles"],"additionalProperties":false}`
	task = TitleTask{list: list, opts: o}
	task.Request, ok = o.request(titlePrompt, b.String(), []byte(schema), mostTitleRunes/2*len(list), len(list)+1)
	return task, ok
}

// Read returns a label for each topic of the task, "" if the topic keeps its own, and the number of
// labels refused.
func (t *TitleTask) Read(answer string) (labels []string, refused int, err error) {
	var in struct {
		Titles []struct {
			N     int    `json:"n"`
			Label string `json:"label"`
		} `json:"titles"`
	}
	labels = make([]string, len(t.list))
	if err := read(answer, &in); err != nil {
		return labels, 0, err
	}
	for _, one := range in.Titles {
		if one.N < 1 || one.N > len(t.list) || labels[one.N-1] != "" {
			refused++
			continue
		}
		label, bad := t.label(&t.list[one.N-1], one.Label)
		if bad != nil {
			refused++
			continue
		}
		labels[one.N-1] = label
	}
	for i := range labels {
		if strings.EqualFold(labels[i], t.list[i].Label) {
			labels[i] = ""
		}
	}
	return labels, refused, nil
}

var errMarkup = errors.New("has markup")

// label returns a label of an answer in the spelling used by the people who discuss the topic.
func (t *TitleTask) label(of *Untitled, label string) (string, error) {
	own := append([]string{of.Label}, of.Names...)
	source := strings.Join(append(own, of.Quotations...), "\n")
	label, err := t.opts.text(label, check{source: source, most: mostTitleRunes, line: true})
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(label, "<>`*\"[]{}|\\") || strings.HasPrefix(label, "#") {
		return "", errMarkup
	}
	spelled, unbroken := spellings(source), 0
	words := strings.Fields(label)
	for i, w := range words {
		as, ok := spelled[strings.ToLower(w)]
		switch {
		case ok:
			words[i] = as
		case strings.ContainsFunc(w, isUnbroken) && strings.Contains(source, w):
			unbroken += utf8.RuneCountInString(w) - 1
		default:
			return "", errUnknown
		}
	}
	label = strings.Join(words, " ")
	if len(words)+unbroken/unbrokenWord > mostTitleWords || utf8.RuneCountInString(label) > mostTitleRunes {
		return "", errLonger
	}
	if !strings.ContainsFunc(label, unicode.IsLetter) {
		return "", errText
	}
	// A single word of a sentence may be unrelated: it is accepted only if it is already a name of
	// the topic.
	if _, known := spellings(strings.Join(own, "\n"))[strings.ToLower(label)]; len(words) == 1 && unbroken == 0 && !known {
		return "", errUnknown
	}
	return label, nil
}

// spellings maps each word of a text, in lower case, to its most frequent spelling.
func spellings(text string) map[string]string {
	count := map[string]int{}
	out := map[string]string{}
	for _, w := range strings.Fields(text) {
		if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }); w == "" {
			continue
		}
		count[w]++
		if key := strings.ToLower(w); count[w] > count[out[key]] {
			out[key] = w
		}
	}
	return out
}

// isUnbroken reports whether a letter belongs to a script that does not separate words.
func isUnbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
