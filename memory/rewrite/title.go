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

// Untitled is a topic as a model is shown it: the label that was found for it, its other names, and
// sentences about it.
type Untitled struct {
	Label             string
	Names, Quotations []string
}

// TitleTask asks for labels of topics. Their words are people's own.
type TitleTask struct {
	Request Request
	list    []Untitled
	opts    Options
}

// MostTitled is how many topics one task takes; the others bound a label.
const (
	MostTitled     = 5
	mostTitleWords = 4
	mostTitleRunes = 60
	unbrokenWord   = 4 // letters that count as a word in scripts without spaces
)

// Title returns the task for the first of the topics, at most MostTitled; ok is false where they do
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

// Read returns a label for each topic of the task, "" where the one that it has stays, and how many
// are refused.
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

// label returns a label of an answer in the spelling of those who speak of the topic.
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
	// One word of a sentence may be any: it is a label only where it was found to be the topic's.
	if _, known := spellings(strings.Join(own, "\n"))[strings.ToLower(label)]; len(words) == 1 && unbroken == 0 && !known {
		return "", errUnknown
	}
	return label, nil
}

// spellings maps each word of a text, in small letters, to how it is written most often.
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

// isUnbroken tells letters of scripts whose words nothing parts.
func isUnbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
