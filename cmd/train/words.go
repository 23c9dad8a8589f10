package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/contexture-dev/contexture/context/translate"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Settings for learning the meanings of words from messages and their translations.
const (
	alignRounds  = 6    // of expectation and maximisation
	longestPair  = 48   // units or terms of a pair that is still read: longer pairs hardly reveal which word corresponds to which
	rarestUnit   = 3    // times that a unit must occur
	faintest     = .1   // probability of a meaning that is kept
	improbable   = 1e-3 // probability below which a meaning is discarded between rounds
	keptMeanings = 3    // of a unit
	tellingLift  = 4.0  // how much more often a meaning occurs together with its unit than elsewhere
	unitsKept    = 9000
	heldOutOneIn = 40 // pairs that only the report reads
	englishKept  = 12000
)

// message is one message of a program with its translation.
type message struct{ english, foreign string }

// trainWords learns from the message catalogs DIR/LANGUAGE/*.po of programs which English words
// correspond to those of other languages, prints its accuracy on held-out messages, and writes the
// table for context/translate.
func trainWords(args []string) error {
	flags := flag.NewFlagSet("train words", flag.ContinueOnError)
	catalogs := flags.String("catalogs", "", "the `folder` with catalogs of messages, LANGUAGE/*.po")
	out := flags.String("out", "context/translate/words.tsv", "the `file` to write")
	dry := flags.Bool("dry-run", false, "report only, write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folders, err := filepath.Glob(filepath.Join(*catalogs, "*", ""))
	if err != nil || len(folders) == 0 {
		return fmt.Errorf("no catalogs in %q: %w", *catalogs, errors.Join(err, os.ErrNotExist))
	}
	table := map[string][]string{} // the entries of a key
	var languages []string
	english := map[string]int{}
	for _, folder := range folders {
		language := filepath.Base(folder)
		pairs, err := readCatalogs(folder)
		if err != nil {
			return err
		}
		if len(pairs) == 0 {
			continue
		}
		languages = append(languages, language)
		w := alignWords(pairs)
		w.report(language)
		for key, entry := range w.entries() {
			table[key] = append(table[key], language+":"+entry)
		}
		for key, n := range w.englishUse {
			english[key] += n
		}
	}
	total := 0
	for _, n := range english {
		total += n
	}
	keys := slices.SortedFunc(maps.Keys(english), func(a, b string) int {
		return cmp.Or(cmp.Compare(english[b], english[a]), strings.Compare(a, b))
	})
	for _, key := range keys[:min(len(keys), englishKept)] {
		table[key] = append(table[key], "en:"+frequency(english[key], total))
	}
	if *dry {
		return nil
	}
	return writeWords(*out, append(languages, translate.English), table)
}

// writeWords writes the table in the format that context/translate reads.
func writeWords(path string, languages []string, table map[string][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	z := bufio.NewWriter(f)
	if _, err := fmt.Fprintf(z, "\t%s\n", strings.Join(languages, " ")); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		slices.Sort(table[key])
		if _, err := fmt.Fprintf(z, "%s\t%s\n", key, strings.Join(table[key], "\t")); err != nil {
			return err
		}
	}
	if err := errors.Join(z.Flush(), f.Close()); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d keys, %d bytes\n", path, len(table), info.Size())
	return nil
}

// frequency returns the frequency of a unit in the table's format: minus ten times the natural
// logarithm of its share.
func frequency(n, total int) string {
	return strconv.Itoa(int(math.Round(-10 * math.Log(float64(n)/float64(total)))))
}

// readCatalogs returns the distinct pairs of a folder.
func readCatalogs(folder string) ([]message, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.po"))
	if err != nil {
		return nil, err
	}
	seen := map[message]bool{}
	var all []message
	for _, file := range files {
		pairs, err := readCatalog(file)
		if err != nil {
			return nil, err
		}
		for _, p := range pairs {
			p.english, p.foreign = plainMessage(p.english), plainMessage(p.foreign)
			if p.english != p.foreign && !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// readCatalog returns the translated messages of a file in the format of GNU gettext; of plural
// forms, the first and the last.
func readCatalog(path string) ([]message, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []message
	texts := map[string]string{}
	key, fuzzy := "", false
	flush := func() {
		if !fuzzy {
			if e, t := texts["msgid"], cmp.Or(texts["msgstr"], texts["msgstr[0]"]); e != "" && t != "" {
				all = append(all, message{e, t})
			}
		}
		clear(texts)
		key, fuzzy = "", false
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "", strings.HasPrefix(line, "#~"):
			continue
		case line[0] == '#':
			if key != "" {
				flush()
			}
			fuzzy = fuzzy || strings.HasPrefix(line, "#,") && strings.Contains(line, "fuzzy")
			continue
		}
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			if word == "msgid" && (texts["msgstr"] != "" || texts["msgstr[0]"] != "") {
				flush()
			}
			key, line = word, rest
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			text = strings.Trim(line, `"`)
		}
		texts[key] += text
	}
	flush()
	return all, lines.Err()
}

// markup matches the parts of a message that are not natural language: roles and literals of
// documentation, tags, links, placeholders.
var markup = regexp.MustCompile("``[^`]*``|:[a-z:+-]+:`[^`]*`|`[^`]*<[^>]*>`_*|<[^>]{1,80}>|https?://\\S+|%[-+#0-9.]*[a-zA-Z]|%\\([a-z_]+\\)[a-z]|\\{[^}]{0,40}\\}|\\[/?[a-z_]+[^\\]]{0,60}\\]|[*`|]")

func plainMessage(text string) string {
	text = markup.ReplaceAllString(text, " ")
	return strings.NewReplacer("&", "", "_", " ", "\n", " ", "\t", " ").Replace(text)
}

// alignment holds the pairs of a language as numbers, and what was learned from them.
type alignment struct {
	units, terms     []string
	unitUse, termUse []int
	pairs            [][2][]int32        // units, terms
	held             [][2][]int32        // the same of those that are only measured
	means            []map[int32]float64 // by unit: the probability of each term
	spelt            []map[string]int    // by term: its spellings
	englishUse       map[string]int
}

// alignWords learns to which term each unit corresponds, with the first model of Brown, Della
// Pietra, Della Pietra and Mercer, "The Mathematics of Statistical Machine Translation" (1993): it
// alternates between the units' meanings and the pairs' alignments, and adds to the units of each
// pair an empty one for terms without a counterpart.
func alignWords(pairs []message) *alignment {
	w := &alignment{englishUse: map[string]int{}}
	uses := map[string]int{}
	for _, p := range pairs {
		translate.Units(p.foreign, func(u translate.Unit) { uses[u.Key]++ })
	}
	units, terms := map[string]int32{"": 0}, map[string]int32{}
	w.units, w.unitUse = []string{""}, []int{0}
	for i, p := range pairs {
		var us, ts []int32
		translate.Units(p.foreign, func(u translate.Unit) {
			if uses[u.Key] < rarestUnit {
				return
			}
			id, ok := units[u.Key]
			if !ok {
				id = int32(len(w.units))
				units[u.Key] = id
				w.units, w.unitUse = append(w.units, u.Key), append(w.unitUse, 0)
			}
			if !slices.Contains(us, id) {
				us = append(us, id)
			}
			w.unitUse[id]++
		})
		for word := range strings.FieldsFuncSeq(p.english, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			word = strings.ToLower(word)
			if key := translate.Stem(word); key != "" {
				w.englishUse[key]++
			}
			lexical.Terms([]byte(word), func(t string) {
				id, ok := terms[t]
				if !ok {
					id = int32(len(w.terms))
					terms[t] = id
					w.terms, w.termUse, w.spelt = append(w.terms, t), append(w.termUse, 0), append(w.spelt, map[string]int{})
				}
				w.spelt[id][word]++
				if !slices.Contains(ts, id) {
					ts = append(ts, id)
					w.termUse[id]++
				}
			})
		}
		if len(us) == 0 || len(ts) == 0 || len(ts) > longestPair {
			continue
		}
		both := [2][]int32{append(us, 0), ts}
		if i%heldOutOneIn == 0 {
			w.held = append(w.held, both)
		} else {
			w.pairs = append(w.pairs, both)
		}
	}
	w.align()
	return w
}

// align estimates the probability that a unit corresponds to a term, by alternating expectation and
// maximisation. All terms that occur together with a unit are equally probable at first.
func (w *alignment) align() {
	w.means = make([]map[int32]float64, len(w.units))
	for i := range w.means {
		w.means[i] = map[int32]float64{}
	}
	for _, p := range w.pairs {
		for _, u := range p[0] {
			for _, t := range p[1] {
				w.means[u][t] = 1
			}
		}
	}
	for round := range alignRounds {
		counts := w.expect()
		for u := range w.means {
			w.means[u] = normalized(added(counts[0][u], counts[1][u]), round > 1)
		}
	}
}

// expect returns the expected number of times that each unit corresponds to each term, separately
// for every second pair, starting with the first and with the second one.
func (w *alignment) expect() (halves [2][]map[int32]float64) {
	var group sync.WaitGroup
	for k := range halves {
		group.Go(func() {
			counts := make([]map[int32]float64, len(w.units))
			for i := k; i < len(w.pairs); i += len(halves) {
				w.share(w.pairs[i], counts)
			}
			halves[k] = counts
		})
	}
	group.Wait()
	return halves
}

// share distributes one count of each term of a pair over the pair's units, in proportion to their
// probabilities.
func (w *alignment) share(pair [2][]int32, counts []map[int32]float64) {
	for _, t := range pair[1] {
		sum := 0.0
		for _, u := range pair[0] {
			sum += w.means[u][t]
		}
		if sum == 0 {
			continue
		}
		for _, u := range pair[0] {
			if m := w.means[u][t]; m > 0 {
				if counts[u] == nil {
					counts[u] = map[int32]float64{}
				}
				counts[u][t] += m / sum
			}
		}
	}
}

// added returns counts with more added. It modifies and may return counts.
func added(counts, more map[int32]float64) map[int32]float64 {
	if counts == nil {
		counts = map[int32]float64{}
	}
	for t, n := range more {
		counts[t] += n
	}
	return counts
}

// normalized divides counts by their sum, in place; with prune it also discards improbable terms.
func normalized(counts map[int32]float64, prune bool) map[int32]float64 {
	total := 0.0
	for _, t := range slices.Sorted(maps.Keys(counts)) { // in a fixed order, so that the sum is always the same
		total += counts[t]
	}
	for t, n := range counts {
		if counts[t] = n / total; prune && counts[t] < improbable {
			delete(counts, t)
		}
	}
	return counts
}

// meaning is a term to which a unit corresponds.
type meaning struct {
	term int32
	p    float64
}

// meanings returns the meanings of a unit, the most probable first.
func (w *alignment) meanings(u int32) []meaning {
	if u == 0 {
		return nil
	}
	var out []meaning
	all := float64(len(w.pairs) + len(w.held))
	for t, p := range w.means[u] {
		if p >= faintest && p >= tellingLift*float64(w.termUse[t])/all {
			out = append(out, meaning{t, p})
		}
	}
	slices.SortFunc(out, func(a, b meaning) int { return cmp.Or(cmp.Compare(b.p, a.p), cmp.Compare(a.term, b.term)) })
	return out[:min(len(out), keptMeanings)]
}

// entries returns the units with their frequencies and meanings: "FREQUENCY word=HUNDREDTHS …".
func (w *alignment) entries() map[string]string {
	total := 0
	for _, n := range w.unitUse {
		total += n
	}
	order := make([]int32, len(w.units)-1)
	for i := range order {
		order[i] = int32(i) + 1
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(w.unitUse[b], w.unitUse[a]) })
	out := map[string]string{}
	for _, u := range order {
		if len(out) == unitsKept {
			break
		}
		means := w.meanings(u)
		entry := frequency(w.unitUse[u], total)
		for _, m := range means {
			entry += fmt.Sprintf(" %s=%d", w.spelling(m.term), int(math.Round(100*m.p)))
		}
		if len(means) > 0 || len(out) < 400 {
			out[w.units[u]] = entry
		}
	}
	return out
}

// spelling returns the most frequent spelling of a term.
func (w *alignment) spelling(term int32) string {
	best := ""
	for word, n := range w.spelt[term] {
		if best == "" || n > w.spelt[term][best] || n == w.spelt[term][best] && word < best {
			best = word
		}
	}
	return best
}

// report prints, for held-out messages, how many of their terms are found from the units of their
// translations, and how much of what is found is right.
func (w *alignment) report(language string) {
	var found, terms, right, given float64
	for _, p := range w.held {
		means := map[int32]float64{}
		for _, u := range p[0] {
			for _, m := range w.meanings(u) {
				means[m.term] = max(means[m.term], m.p)
			}
		}
		for _, t := range p[1] {
			terms++
			if means[t] > 0 {
				found++
				right += means[t]
			}
		}
		for _, m := range means {
			given += m
		}
	}
	fmt.Printf("%s: %d pairs, %d units; of others %.1f %% of the terms are found, %.1f %% of what is found is there\n", language,
		len(w.pairs), len(w.units), 100*found/max(1, terms), 100*right/max(1, given))
}
