package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/server/command"
)

// The lines of a hit that a terminal shows: the best matching ones, each with lines around it.
const (
	shownMatches = 3
	linesAround  = 1
)

// printHits lists hits. On a terminal, where many are read at once, those of a file are below its
// path, in the order of their lines, and each has the lines that match. Elsewhere each has its
// location, title and whole snippet, the best first.
func printHits(e *environment, hits []rootHit, query string, explain bool) error {
	p := e.outPalette()
	if e.out.On {
		words, most := queryWords(query), e.widthOf(e.out)
		return e.show(listed(byFile(hits), func(b *strings.Builder, file []rootHit) {
			for i, h := range file {
				heading := p.faint("--")
				if i == 0 {
					heading = e.link(h.URI, h.firstLine(), p.path(h.where(false)))
				}
				b.WriteString(hang(heading+"  "+p.faint(oneLine(h.Title, 100)), most) + "\n")
				if explain {
					b.WriteString("  " + p.faint(rankText(h.Hit)) + "\n")
				}
				words.excerpt(b, p, most, h)
			}
		}))
	}
	return e.show(listed(hits, func(b *strings.Builder, h rootHit) {
		fmt.Fprintf(b, "%s  %s\n", h.where(true), oneLine(h.Title, 100))
		if explain {
			fmt.Fprintf(b, "    %s\n", rankText(h.Hit))
		}
		for i, line := range h.lines() {
			number := "│"
			if h.SnippetLine != nil {
				number = fmt.Sprintf("%5d │", *h.SnippetLine+1+i)
			}
			b.WriteString("    " + strings.TrimRight(number+" "+block(line), " ") + "\n")
		}
	}))
}

// byFile groups the hits of each file, in the order of their lines. A hit of memory is a group of
// its own. The groups are in the order of their best hits.
func byFile(hits []rootHit) (files [][]rootHit) {
	at := map[string]int{}
	for _, h := range hits {
		i, ok := at[h.URI]
		if !ok || h.URI == "" {
			i = len(files)
			at[h.URI], files = i, append(files, nil)
		}
		files[i] = append(files[i], h)
	}
	for _, file := range files {
		slices.SortStableFunc(file, func(x, y rootHit) int { return cmp.Compare(x.firstLine(), y.firstLine()) })
	}
	return files
}

// firstLine returns the line of the document at which the snippet begins; 0 for a memory.
func (h *rootHit) firstLine() int {
	if h.SnippetLine == nil {
		return 0
	}
	return *h.SnippetLine
}

// lines returns the lines of the snippet. The first is the one that SnippetLine counts.
func (h *rootHit) lines() []string {
	return strings.Split(strings.TrimRight(h.Snippet, "\n"), "\n")
}

// where returns the location of a hit, with its line if line is true; of a memory its origin.
func (h *rootHit) where(line bool) string {
	switch {
	case h.URI == "":
		return oneLine(remembered(h.Hit), 0)
	case line:
		return h.w.place(h.URI, h.Range, false)
	}
	return h.w.place(h.URI, nil, false)
}

// rankText returns what --explain shows of a hit.
func rankText(h command.Hit) string {
	return fmt.Sprintf("%s, score %.2f%s", h.Kind, h.Score, signalsText(h.Signals))
}

// wordSet holds the terms of a query, as the keyword search has them: the query "retry" matches
// the word "retries".
type wordSet map[string]bool

func queryWords(query string) wordSet {
	s := wordSet{}
	lexical.Terms([]byte(query), func(term string) { s[term] = true })
	return s
}

// match returns a line with the words that match in colour, safe for a terminal, and the number of
// terms that it has.
func (s wordSet) match(p palette, line string) (text string, terms int) {
	var b strings.Builder
	seen, src, at := map[string]bool{}, []byte(line), 0
	lexical.Words(src, func(word []byte) {
		matches := false
		lexical.Terms(word, func(term string) {
			if s[term] {
				seen[term], matches = true, true
			}
		})
		from := cap(src) - cap(word) // a word is a part of src
		shown := block(string(word))
		if matches {
			shown = p.match(shown)
		}
		b.WriteString(block(line[at:from]) + shown)
		at = from + len(word)
	})
	return b.String() + block(line[at:]), len(seen)
}

// excerpt writes the lines of a hit that match best, with those around them, in most columns. As in
// the output of grep, a colon follows the number of a line that matches, and a hyphen that of
// another.
func (s wordSet) excerpt(b *strings.Builder, p palette, most int, h rootHit) {
	lines := h.lines()
	texts, terms := make([]string, len(lines)), make([]int, len(lines))
	for i, line := range lines {
		texts[i], terms[i] = s.match(p, strings.ReplaceAll(line, "\t", "    "))
	}
	last := -1
	for _, i := range bestLines(terms) {
		if last >= 0 && i > last+1 {
			b.WriteString(p.faint("--") + "\n")
		}
		last = i
		margin := "  "
		if h.SnippetLine != nil {
			margin = p.green(strconv.Itoa(h.firstLine()+1+i)) + lineMark(terms[i] > 0)
		}
		writeBeside(b, margin, texts[i], most)
	}
}

// lineMark returns what stands between the number of a line and its text.
func lineMark(matches bool) string {
	if matches {
		return ":"
	}
	return "-"
}

// writeBeside writes a line beside its margin. What does not fit into most columns continues below
// the beginning of the line.
func writeBeside(b *strings.Builder, margin, line string, most int) {
	indent := columnsOf(margin) + len(line) - len(strings.TrimLeft(line, " "))
	if indent > most-leastColumn {
		indent = columnsOf(margin)
	}
	b.WriteString(strings.TrimRight(fold(margin+line, indent, most), " ") + "\n")
}

// bestLines returns the lines to show, in order: those with the most terms, and the lines around
// each. Where none has a term, as in a semantic match, they are the first.
func bestLines(terms []int) (out []int) {
	best := make([]int, 0, len(terms))
	for i, n := range terms {
		if n > 0 {
			best = append(best, i)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(terms[b], terms[a]) })
	best = best[:min(len(best), shownMatches)]
	if len(best) == 0 {
		best = append(best, linesAround)
	}
	for i := range terms {
		if slices.ContainsFunc(best, func(at int) bool { return at-linesAround <= i && i <= at+linesAround }) {
			out = append(out, i)
		}
	}
	return out
}

// remembered returns the origin of a hit of memory: its turn, or its id of knowledge.
func remembered(h command.Hit) string {
	return turnOr(h.ConversationID, h.TurnID, strings.TrimPrefix(h.ID, "knowledge:"))
}

// seeMemory lists the commands that accept the ids of hits of memory.
func seeMemory(e *environment, hits []rootHit) {
	turns := slices.ContainsFunc(hits, func(h rootHit) bool { return h.TurnID != "" })
	rules := slices.ContainsFunc(hits, func(h rootHit) bool { return h.Kind == "rule" })
	switch {
	case turns && rules:
		e.see("contexture chats show ID --turn T-n for a whole turn, contexture rules why ID for a rule")
	case turns:
		e.see("contexture chats show ID --turn T-n for a whole turn")
	case rules:
		e.see("contexture rules why ID for a rule")
	}
}

// signalNames are the display names of the rankers.
var signalNames = map[string]string{"file": "keyword in its file", "vector": "semantic", "history": "similar commits"}

// signalsText lists the rankers that found a hit, with its rank in each, the best first.
func signalsText(signals map[string]command.Signal) string {
	names := slices.SortedFunc(maps.Keys(signals), func(a, b string) int {
		return cmp.Or(signals[a].Rank-signals[b].Rank, strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s #%d", cmp.Or(signalNames[name], name), signals[name].Rank)
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + strings.Join(names, ", ")
}
