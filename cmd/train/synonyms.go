package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Settings for the synonyms that a table of translations implies.
const (
	leastSynonym    = .02 // probability of a synonym that is kept
	mostSynonyms    = 5   // of a term
	leastLanguages  = 2   // languages in which one word means both
	frequencyScale  = 20. // tenths of nats by which a word's frequency counts: its square root
	hundredthsPerOf = 100.
)

// trainSynonyms writes the table of context/translate's synonyms: two English terms that share the
// words of other languages mean about the same (Bannard and Callison-Burch, "Paraphrasing with
// Bilingual Parallel Corpora", 2005).
func trainSynonyms(args []string) error {
	flags := flag.NewFlagSet("train synonyms", flag.ContinueOnError)
	words := flags.String("words", "context/translate/words.tsv", "the `file` with the translations, as train words writes it")
	out := flags.String("out", "context/translate/synonyms.tsv", "the `file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	raw, err := os.ReadFile(*words)
	if err != nil {
		return err
	}
	p := pivot{mass: map[string]float64{}, joint: map[string]map[string]*sharedWords{}, stems: map[string]string{}}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		for _, field := range fields[1:] {
			if err := p.read(field); err != nil {
				return fmt.Errorf("%s: %w", *words, err)
			}
		}
	}
	return os.WriteFile(*out, []byte(p.table()), 0o644)
}

// pivot sums the words of other languages that pairs of English terms share.
type pivot struct {
	mass  map[string]float64
	joint map[string]map[string]*sharedWords
	stems map[string]string // terms by word
}

type sharedWords struct {
	weight    float64
	languages []string
}

// read adds one field of the table: a word of a language with its meanings.
func (p *pivot) read(field string) error {
	language, rest, ok := strings.Cut(field, ":")
	parts := strings.Fields(rest)
	if !ok || language == "en" || len(parts) < 2 {
		return nil
	}
	frequency, err := strconv.ParseFloat(parts[0], 64)
	if err != nil {
		return err
	}
	weight := math.Exp(-frequency / frequencyScale)
	means := map[string]float64{}
	for _, m := range parts[1:] {
		word, hundredths, _ := strings.Cut(m, "=")
		n, err := strconv.ParseFloat(hundredths, 64)
		if err != nil {
			return err
		}
		if term := p.stem(word); term != "" {
			means[term] += n / hundredthsPerOf
		}
	}
	for _, a := range slices.Sorted(maps.Keys(means)) {
		p.mass[a] += weight * means[a]
		for _, b := range slices.Sorted(maps.Keys(means)) {
			if a != b {
				p.add(a, b, language, weight*means[a]*means[b])
			}
		}
	}
	return nil
}

func (p *pivot) add(a, b, language string, weight float64) {
	if p.joint[a] == nil {
		p.joint[a] = map[string]*sharedWords{}
	}
	s := p.joint[a][b]
	if s == nil {
		s = &sharedWords{}
		p.joint[a][b] = s
	}
	s.weight += weight
	if !slices.Contains(s.languages, language) {
		s.languages = append(s.languages, language)
	}
}

// stem returns the first term of a word.
func (p *pivot) stem(word string) string {
	if term, known := p.stems[word]; known {
		return term
	}
	first := ""
	lexical.Terms([]byte(word), func(term string) { first = cmp.Or(first, term) })
	p.stems[word] = first
	return first
}

// table returns a line for each term that has synonyms, in order: "TERM\tSYNONYM=HUNDREDTHS …".
func (p *pivot) table() string {
	type synonym struct {
		term        string
		probability float64
	}
	var b strings.Builder
	for _, term := range slices.Sorted(maps.Keys(p.joint)) {
		var list []synonym
		for other, s := range p.joint[term] {
			if n := s.weight / p.mass[term]; n >= leastSynonym && len(s.languages) >= leastLanguages {
				list = append(list, synonym{other, n})
			}
		}
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b synonym) int {
			return cmp.Or(cmp.Compare(b.probability, a.probability), cmp.Compare(a.term, b.term))
		})
		b.WriteString(term + "\t")
		for i, s := range list[:min(mostSynonyms, len(list))] {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%s=%.0f", s.term, hundredthsPerOf*s.probability)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
