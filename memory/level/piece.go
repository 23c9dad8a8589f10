package level

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// piece is a part of a message's text that levels include or omit as a whole: a sentence with the
// short ones next to it, a heading, or a block of lines.
type piece struct {
	text   string
	source utterance.Source
	pasted bool // it is part of a document that a person attached
	start  bool // it begins a line
	fenced bool // a block with its fences
	chunk  int  // shared by the pieces of one unbroken run, 0 for none
	scores utterance.Scores
	spans  []string // its sentences; none for a block or a chunk
}

const (
	mostScored  = 24 << 10 // bytes of a message whose sentences are scored; the rest is only split
	shortWords  = 3        // a sentence this short joins its neighbour: "No." is half of an answer
	longestPair = 400      // bytes of sentences that are joined
	chunkBytes  = 400      // bytes of a part of a run that has no sentences
)

// pieces splits a message's text, in order. Only white space is between two pieces.
func pieces(text string, role utterance.Role) []piece {
	p := splitter{role: role, room: mostScored}
	for text != "" {
		text = p.segment(text)
	}
	return p.out
}

type splitter struct {
	role   utterance.Role
	room   int // bytes that may still be scored
	pasted bool
	before string // the last sentence
	chunks int
	out    []piece
}

// segment splits the text up to and including the first heading, and returns the rest.
func (p *splitter) segment(text string) string {
	blocks := utterance.Blocks(text)
	rest, end := "", len(text)
	if n := len(blocks); n > 0 && blocks[n-1].Source == utterance.Document {
		end = blocks[n-1].Start
		blocks, rest = blocks[:n-1], text[end:]
	}
	sentences := p.read(text[:end])
	for _, b := range blocks {
		if b.Source != utterance.Own {
			p.block(text[b.Start:b.End], b.Source)
			continue
		}
		n := 0
		for n < len(sentences) && sentences[n].Start < b.End {
			n++
		}
		p.prose(text, b.Start, b.End, sentences[:n])
		sentences = sentences[n:]
	}
	if rest == "" {
		return ""
	}
	line, rest := cutLine(rest)
	p.pasted = p.pasted || p.role == utterance.Person
	p.add(piece{text: strings.TrimSpace(line), source: utterance.Document, start: true})
	return rest
}

// read returns the sentences of a text, scored as far as the room allows.
func (p *splitter) read(text string) []utterance.ScoredSentence {
	if p.pasted || p.room <= 0 {
		return unscored(utterance.Sentences(text))
	}
	if len(text) <= p.room {
		p.room -= len(text)
		list := utterance.ReadAll(text, p.role, p.before)
		if n := len(list); n > 0 {
			p.before = text[list[n-1].Start:list[n-1].End]
		}
		return list
	}
	head := p.room
	if i := strings.LastIndexByte(text[:head], '\n'); i > 0 {
		head = i
	}
	head = runeStart(text, head)
	p.room = 0
	scored, all := utterance.ReadAll(text[:head], p.role, p.before), unscored(utterance.Sentences(text))
	for i, k := 0, 0; i < len(all) && k < len(scored); i++ {
		for k < len(scored) && scored[k].Start < all[i].Start {
			k++
		}
		if k < len(scored) && scored[k].Start == all[i].Start {
			all[i].Scores = scored[k].Scores
		}
	}
	return all
}

func unscored(list []utterance.Sentence) []utterance.ScoredSentence {
	out := make([]utterance.ScoredSentence, len(list))
	for i, s := range list {
		out[i].Sentence = s
	}
	return out
}

func (p *splitter) add(one piece) {
	if one.text != "" {
		one.pasted = p.pasted
		p.out = append(p.out, one)
	}
}

// block adds lines that are not the speaker's own words.
func (p *splitter) block(text string, source utterance.Source) {
	text = strings.Trim(text, "\r\n")
	p.add(piece{text: text, source: source, start: true, fenced: source == utterance.Code && isFence(text)})
}

// prose adds the sentences of the speaker's own words in text[from:to] and what is between them:
// the marks of list items and runs that are too long to be sentences.
func (p *splitter) prose(text string, from, to int, list []utterance.ScoredSentence) {
	at, paragraph := from, -1
	for _, s := range list {
		start := p.between(text, at, s.Start, at == from)
		one := piece{text: strings.TrimSpace(text[start:s.End]), spans: []string{text[s.Start:s.End]}, scores: s.Scores}
		one.start = at == from || strings.Contains(text[at:start], "\n")
		if s.Paragraph == paragraph && start == s.Start && p.joins(one) {
			p.join(one, text[at:start])
		} else {
			p.add(one)
		}
		at, paragraph = s.End, s.Paragraph
	}
	p.between(text, at, to, false)
}

// between adds the text before a sentence, and returns where the sentence's own line mark begins.
func (p *splitter) between(text string, from, to int, first bool) int {
	gap := text[from:to]
	if strings.TrimSpace(gap) == "" {
		return to
	}
	mark := to
	if i := from + strings.LastIndexByte(gap, '\n') + 1; to < len(text) && to-i <= 12 && (i > from || first) {
		mark = i
		gap = text[from:mark]
	}
	gap = strings.TrimSpace(gap)
	p.chunks++
	for gap != "" {
		n := chunkEnd(gap)
		p.add(piece{text: strings.TrimSpace(gap[:n]), start: true, chunk: p.chunks})
		gap = gap[n:]
	}
	return mark
}

// chunkEnd returns where to cut a run that has no sentences.
func chunkEnd(s string) int {
	if len(s) <= chunkBytes {
		return len(s)
	}
	n := runeStart(s, chunkBytes)
	if i := strings.LastIndexAny(s[:n], " \n\t"); i > n/2 {
		n = i + 1
	}
	return n
}

// joins reports whether a sentence is joined to the one before it, because one of them is short.
func (p *splitter) joins(s piece) bool {
	n := len(p.out)
	return n > 0 && len(p.out[n-1].spans) > 0 && len(p.out[n-1].text)+len(s.text) < longestPair &&
		(isShort(s.text) || len(p.out[n-1].spans) == 1 && isShort(p.out[n-1].text))
}

func (p *splitter) join(s piece, gap string) {
	last := &p.out[len(p.out)-1]
	last.text += gap + s.text
	last.spans = append(last.spans, s.spans...)
	for i := range last.scores {
		last.scores[i] = max(last.scores[i], s.scores[i])
	}
}

// isShort reports whether a sentence has few words.
func isShort(s string) bool { return len(s) <= 40 && utterance.CountWords(s) <= shortWords }

func isFence(s string) bool { return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") }

func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return line, rest
}

// runeStart returns i, or the start of the character that contains byte i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// oneSpaced returns s with every run of white space reduced to one space and none at either end. It
// returns a string that already has this form unchanged.
func oneSpaced(s string) string {
	s = strings.TrimSpace(s)
	gap := true
	for _, r := range s {
		space := unicode.IsSpace(r)
		if space && (gap || r != ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
		gap = space
	}
	return s
}
