package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// readKeywords returns the words that determine what the prompt is about: no stop words, those of
// the asking lines and the frequent ones first, in the order of the text. A script without spaces
// yields whole runs.
func readKeywords(d *document) []string {
	type candidate struct {
		text  string
		score int
		at    int
	}
	var list []candidate
	index := map[string]int{}
	for i, w := range d.words {
		if !isTopic(w.text) || w.first && plainVerbs[w.text] {
			continue
		}
		k, known := index[w.text]
		if !known {
			k = len(list)
			index[w.text] = k
			list = append(list, candidate{text: w.text, at: i})
			if utf8.RuneCountInString(w.text) >= 6 {
				list[k].score++
			}
		}
		list[k].score++
		if d.lines[w.line].ask {
			list[k].score += 2
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.score - a.score })
	list = list[:min(maxKeywords, len(list))]
	slices.SortFunc(list, func(a, b candidate) int { return a.at - b.at })
	var words []string
	for _, c := range list {
		words = append(words, c.text)
	}
	return words
}

func isTopic(w string) bool {
	if len(w) < 2 || len(w) > 64 || isDigit(w[0]) || stopWords[w] {
		return false
	}
	if len(w) == 2 && !technicalPairs[w] {
		return false
	}
	return strings.Trim(w, "_0123456789") != ""
}

// technicalPairs are the words of two letters that can be a topic.
var technicalPairs = set("ui db ci cd id io ip os js ts go py rb ai ml qa ux vm pr c++")

const (
	month   = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	weekday = `(?:mon|tues|wednes|thurs|fri|satur|sun)day`
)

type dateFormat struct {
	starts []string
	re     *regexp.Regexp
}

// dateFormats are tried on a line with a word that begins with one of starts.
var dateFormats = sync.OnceValue(func() []dateFormat {
	return []dateFormat{
		{[]string{"19", "20"}, regexp.MustCompile(`\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])\b`)},
		{months, regexp.MustCompile(`(?i)\b` + month + `\.? \d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?\b`)},
		{months, regexp.MustCompile(`(?i)\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?` + month + `\.?(?:,? (?:19|20)\d\d)?\b`)},
		{[]string{"yesterday", "last"}, regexp.MustCompile(`(?i)\b(?:yesterday|last (?:week|month|year|` + weekday + `))\b`)},
		{[]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}, regexp.MustCompile(`(?i)\b` + weekday + `\b`)},
	}
})

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// maxDates bounds the dates kept.
const maxDates = 8

// readDates returns the dates that the asking lines name, as written.
func readDates(d *document) []string {
	var found []string
	for _, f := range dateFormats() {
		searched := -1
		for _, w := range d.words {
			l := &d.lines[w.line]
			if w.line == searched || !l.ask || !hasAnyPrefix(w.text, f.starts) {
				continue
			}
			searched = w.line
			for _, m := range f.re.FindAllString(clip(l.text, maxAsk), maxDates) {
				if !slices.ContainsFunc(found, func(have string) bool { return strings.Contains(have, m) }) {
					found = appendNew(found, m, maxDates)
				}
			}
		}
	}
	return found
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// readProperNames returns the capitalised words inside sentences, adjacent ones joined: "ask Ana
// Lima about the Reader" yields "Ana Lima" and "Reader". The first word of a sentence is always
// capitalised and so is no evidence.
func readProperNames(d *document) []string {
	var found []string
	for _, l := range d.lines {
		if l.code || l.trace || isTrailer(l.text) || strings.HasPrefix(l.text, "#") {
			continue
		}
		name, first := "", true
		flush := func() {
			found = appendNew(found, name, maxNames)
			name = ""
		}
		for raw := range strings.FieldsSeq(l.text) {
			w := strings.Trim(raw, ".,:;!?()\"'*_#>-[]")
			if w == "" {
				continue
			}
			w = strings.TrimSuffix(w, "'s")
			switch {
			case !first && isProper(w):
				name = strings.TrimSpace(name + " " + w)
			default:
				flush()
			}
			last := raw[len(raw)-1]
			first = last == '.' || last == '!' || last == '?' || last == ':'
			if strings.IndexByte(",.:;!?)", last) >= 0 {
				flush()
			}
		}
		flush()
	}
	return found
}

// maxNames bounds the proper names kept.
const maxNames = 16

func isProper(w string) bool {
	if len(w) < 3 || !isUpper(w[0]) || stopWords[strings.ToLower(w)] || questionWords[strings.ToLower(w)] {
		return false
	}
	return strings.Trim(w[1:], "abcdefghijklmnopqrstuvwxyz") == "" || notIdentifiers[w]
}
