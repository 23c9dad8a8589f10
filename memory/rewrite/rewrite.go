// Package rewrite is what memory asks of a chat model and what it takes from the answers: shorter
// levels of a turn, what a conversation is about, a summary of a run of messages, a lesson, a
// topic's label. It is pure: it builds requests and reads answers, and somebody else asks.
//
// [Turn], [Conversation], [Run], [Label] and [Title] each give a task: a [Request] and, from its
// Read, what of the answer may stand in place of what was made by rules. A model is not trusted:
// nothing is taken that is empty, is longer than what it replaces, lost what the rules had kept,
// speaks of names or turns that the request did not show, or imitates an element of a bundle. What
// is not taken leaves the text of the rules where it is.
package rewrite

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/level"
)

// Version is that of all prompts, schemas and checks. It is raised with any of them: what was asked
// of another version may be asked again.
const Version = 1

// Request is what to ask a chat model.
type Request struct {
	System, Prompt string
	Schema         []byte // JSON schema of the answer
	MaxTokens      int    // that the answer may take
}

// Options are what a task needs from outside; all but the window are required.
type Options struct {
	// Count gives the tokens of a text.
	Count func(string) int
	// Block writes an element: a tag and its escaped body. Text that imitates an element does not
	// stand in it as it is.
	Block func(tag, body string) string
	// Window is how many tokens the model has for a request and its answer, 0 where that is not
	// known.
	Window int
}

// Bounds of a request in tokens of Options.Count. A model's own tokenizer may need more tokens for
// the same text, hence the room on both sides; what a template adds to a request comes on top.
const (
	mostWindow  = 8192 // that is used however large the model's is: a small one answers sooner
	template    = 256
	promptRoom  = 1.25 // of a model's tokens to those counted
	answerRoom  = 1.5
	answerExtra = 48 // for names, quotes and escapes of a field
)

// errEmpty and the others say why an answer, or a part of it, is not taken. They never hold its
// text.
var (
	errEmpty   = errors.New("is empty")
	errLonger  = errors.New("is longer than what it would replace")
	errLost    = errors.New("lost what had to be kept")
	errUnknown = errors.New("names what was not shown")
	errTag     = errors.New("imitates an element")
	errLines   = errors.New("has more than one line")
	errText    = errors.New("is no clean text")
	errOrder   = errors.New("is shorter than the level below it")
)

// request builds a request, if it fits into the window: most is the length of the answer, fields
// how many it has.
func (o Options) request(system, prompt string, schema []byte, most, fields int) (Request, bool) {
	r := Request{System: system, Prompt: prompt, Schema: schema, MaxTokens: int(float64(most)*answerRoom) + answerExtra*fields}
	used := float64(o.Count(system)+o.Count(prompt)) * promptRoom
	window := mostWindow
	if o.Window > 0 {
		window = min(window, o.Window)
	}
	return r, int(used)+r.MaxTokens+template <= window
}

// read decodes an answer: one JSON value of valid UTF-8 without fields that were not asked for.
func read(answer string, into any) error {
	if !utf8.ValidString(answer) {
		return fmt.Errorf("read answer: %w", errText)
	}
	dec := json.NewDecoder(strings.NewReader(answer))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil {
		return errors.New("read answer: is not what was asked for") // the decoder's words may hold the answer's
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("read answer: goes on behind its end")
	}
	return nil
}

// check is what every text of an answer must stand.
type check struct {
	source string   // what the model was shown
	keep   []string // must be in the text
	most   int      // tokens
	line   bool     // one line only
}

// text returns a text of an answer as it may be used.
func (o Options) text(s string, c check) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", errEmpty
	case strings.IndexFunc(s, unclean) >= 0:
		return "", errText
	case c.line && strings.ContainsAny(s, "\n\r\u2028\u2029\u0085"):
		return "", errLines
	case o.Count(s) > c.most:
		return "", errLonger
	case !strings.Contains(o.Block("T-1-S", s), s):
		return "", errTag
	case len(level.Missing(c.keep, s)) > 0:
		return "", errLost
	case len(invented(s, c.source)) > 0:
		return "", errUnknown
	}
	return s, nil
}

// unclean returns what stands in no text that people write: control characters, and what is left of
// broken encodings.
func unclean(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// invented returns the paths, identifiers and numbers of a text that its source does not have.
func invented(text, source string) []string {
	var names []string
	level.Names(text, func(name string) { names = append(names, name) })
	for _, number := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(number) >= leastNumber {
			names = append(names, number)
		}
	}
	return level.Missing(names, source)
}

// leastNumber is how many digits a number has that nobody may have counted.
const leastNumber = 2

// words is the number of words that a model is told for a number of tokens: fewer, as models do not
// count well.
func words(tokens int) int { return max(tokens*3/5, 4) }

// Lists of what is to be kept are cut at so many tokens: what a model is not told it may still
// keep.
const keepTokens = 900

// keepList writes what is to be kept as a JSON list within room tokens.
func (o Options) keepList(keep []string, room int) string {
	list := []string{}
	for _, k := range keep {
		if room -= o.Count(k) + 3; room < 0 {
			break
		}
		list = append(list, k)
	}
	return plainJSON(list)
}

// plainJSON is JSON without escapes for HTML: a model shall copy what it sees.
func plainJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil { // strings and lists of them: cannot fail
		return "[]"
	}
	return strings.TrimSpace(b.String())
}
