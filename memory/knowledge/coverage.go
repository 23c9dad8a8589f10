package knowledge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Coverage is how much of what people ask about is in the knowledge.
type Coverage struct {
	Questions int `json:"questions"` // recent questions of people
	Answered  int `json:"answered"`  // of them, by a reference, a lesson, a rule or a document
	Topics    int `json:"topics"`
	Covered   int `json:"covered"` // topics named by a reference, a lesson or a rule
}

// Bounds of the measurement.
const (
	coverQuestions = 100
	coverDocuments = 40 // questions for which documents are searched
	answeredTerms  = 2  // number of its words that an answer must have
)

// cover measures how much of the latest questions and of the topics the knowledge covers.
func (p *pass) cover() error {
	var texts [][]string
	df := map[string]int{}
	for _, it := range p.items {
		if !it.Holds() {
			continue
		}
		if err := p.pacer.pause(); err != nil {
			return err
		}
		list := p.in.termList(it.matchText())
		texts = append(texts, list)
		for _, t := range list {
			df[t]++
		}
	}
	q := query{df: df, n: len(texts)}
	speaks := func(asked, text []string) bool {
		had, all, n := 0.0, 0.0, 0
		for _, t := range asked {
			w := q.idf(t)
			if all += w; slices.Contains(text, t) {
				had += w
				n++
			}
		}
		return n >= min(answeredTerms, len(asked)) && had >= answeredShare*all
	}
	documents := 0
	for _, one := range p.questions[:min(len(p.questions), coverQuestions)] {
		if err := p.pacer.pause(); err != nil {
			return err
		}
		asked := p.in.termList(one.Text)
		if len(asked) == 0 {
			continue
		}
		p.out.Coverage.Questions++
		answered := slices.ContainsFunc(texts, func(t []string) bool { return speaks(asked, t) })
		if !answered && documents < coverDocuments {
			documents++
			sections, err := p.in.sectionsNaming(one.names)
			if err != nil {
				return err
			}
			answered = slices.ContainsFunc(sections, func(s Section) bool { return speaks(asked, p.in.termList(s.Text)) })
		}
		p.out.Coverage.Answered += btoi(answered)
	}
	for i := range p.set.Topics {
		label := p.in.termList(p.set.Topics[i].Label)
		p.out.Coverage.Topics++
		p.out.Coverage.Covered += btoi(len(label) > 0 && slices.ContainsFunc(texts, func(text []string) bool {
			return !slices.ContainsFunc(label, func(t string) bool { return !slices.Contains(text, t) })
		}))
	}
	return nil
}

// termList returns the distinct terms of a text.
func (in *ProcessInput) termList(text string) []string {
	if in.Terms != nil {
		return termsOf(text, in.Terms)
	}
	return termsOf(text, func(text string, yield func(string)) {
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			yield(strings.Trim(word, ".,;:!?()\"'`"))
		}
	})
}

// sectionsNaming returns the sections of documents on the first topics that a question names and
// that have any.
func (in *ProcessInput) sectionsNaming(names []string) ([]Section, error) {
	if in.Sections == nil {
		return nil, nil
	}
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // longer words are rarer
	var out []Section
	for _, name := range names[:min(2, len(names))] {
		list, err := in.Sections(name)
		if err != nil {
			return nil, fmt.Errorf("read documents: %w", err)
		}
		out = append(out, list...)
	}
	return out, nil
}
