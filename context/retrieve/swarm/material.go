package swarm

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
)

// The material shown to a model is untrusted: the person's prompt may quote a log, a file may
// contain anything. So each piece is one line of JSON, which no text can break out of, and what a
// model's template or tokenizer would read as a boundary between speakers is changed.

var (
	//go:embed prompts/filter.txt
	filterSystem string
	//go:embed prompts/filter.json
	filterSchema []byte
	//go:embed prompts/judge.txt
	judgeSystem string
	//go:embed prompts/judge.json
	judgeSchema []byte
)

const (
	// wishHead and wishTail are the bytes of the person's prompt that are shown: the request is at
	// its beginning or its end, the middle is usually a log.
	wishHead, wishTail = 1200, 600
	// scanned is how many bytes of a text are scanned for secrets: many times the part that is
	// shown, so that no secret is cut in two.
	scanned = 16 << 10
	// nameTokens bounds a place and a title, nameBytes the bytes that are examined: the end of a
	// path and the beginning of a title are the most informative.
	nameTokens, nameBytes = 28, 120
)

// piece is an item on its line. The order of its fields is that of the line.
type piece struct {
	N      int    `json:"n"`
	Kind   string `json:"kind,omitempty"`
	Place  string `json:"place,omitempty"`
	Title  string `json:"title,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Text   string `json:"text,omitempty"`
}

// line writes a piece, at most most tokens of its text.
func (s *Swarm) line(b *bytes.Buffer, n int, it item.Item, most int, sized bool) {
	p := piece{N: n, Kind: string(it.Kind), Text: s.shorten(it.Body, most)}
	p.Place = s.ending(placeOf(it))
	p.Title = s.shorten(head(s.redacted(it.Title), nameBytes), nameTokens)
	if sized {
		p.Tokens = it.Tokens
	}
	writeLine(b, p)
}

// placeOf returns where a place begins; "" for what is none.
func placeOf(it item.Item) string {
	if it.Path == "" {
		return ""
	}
	return it.Path + ":" + strconv.Itoa(it.StartLine+1)
}

// wish writes the person's prompt.
func (s *Swarm) wish(b *bytes.Buffer, prompt string) {
	text := s.redacted(head(prompt, scanned))
	if len(prompt) > scanned {
		text = head(text, wishHead) + " … " + tail(s.redacted(tail(prompt, scanned)), wishTail)
	} else if len(text) > wishHead+wishTail {
		text = head(text, wishHead) + " … " + tail(text, wishTail)
	}
	b.WriteString("The request:\n")
	writeLine(b, struct {
		Request string `json:"request"`
	}{harmless(text)})
}

// writeLine writes v as one line of JSON.
func writeLine(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b) // ends with a line break, and escapes all others
	enc.SetEscapeHTML(false)  // "<" is changed already, and \u0026 for "&" would not help a model
	_ = enc.Encode(v)         // cannot fail for strings and numbers
}

// shorten returns the beginning of an untrusted text, at most most tokens.
func (s *Swarm) shorten(text string, most int) string {
	text = strings.TrimSpace(s.redacted(head(text, scanned)))
	short, _ := s.opts.Counter.Truncate(head(text, most*bytesPerToken), most)
	if short = strings.TrimSpace(short); len(short) < len(text) && most > 0 {
		short += " …"
	}
	return harmless(short)
}

// ending returns the end of a place.
func (s *Swarm) ending(place string) string {
	place = harmless(tail(s.redacted(place), nameBytes))
	for s.opts.Counter.Count(place) > nameTokens {
		place = tail(place, len(place)*3/4)
	}
	return place
}

// bytesPerToken bounds the bytes of a token: runs of spaces are one.
const bytesPerToken = 16

func (s *Swarm) redacted(text string) string {
	if s.opts.Redact == nil {
		return text
	}
	return s.opts.Redact(text)
}

// borders matches the marks between speakers that models recognise besides those in angle brackets.
var borders = regexp.MustCompile(`\[(/?[A-Z][A-Z_]+)\]`)

// harmless changes what a tokenizer reads as a boundary between speakers, for example <|im_end|>,
// </s> or [INST]: these are recognised anywhere.
func harmless(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "<", "‹")
	return borders.ReplaceAllString(text, "($1)")
}

// head returns the first n bytes of a text, slightly fewer if that would cut a character.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.TrimRight(strings.ToValidUTF8(text[:n], ""), " ")
}

// tail returns the last n bytes, in the same way.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.TrimLeft(strings.ToValidUTF8(text[len(text)-n:], ""), " ")
}
