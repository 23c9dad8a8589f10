// Package rewrite defines memory's requests to a chat model and validates the answers: shorter
// levels of a turn, the subject of a conversation, a summary of a run of messages, a lesson, a
// topic's label. It is pure: it builds requests and reads answers; the caller sends them.
//
// [Turn], [Conversation], [Run], [Label] and [Title] each return a task: a [Request] and a method
// Read, which returns what of the answer may replace the text made by rules. A model is not
// trusted: a text is rejected if it is empty, is longer than what it replaces, lost what the rules
// had kept, mentions names or turns that the request did not show, or imitates an element of a
// bundle. The rules' text stays in place of what is rejected.
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

// Version is the version of all prompts, schemas and checks. Raise it when any of them changes:
// what was asked under another version may be asked again.
const Version = 1

// Request is a request to a chat model.
type Request struct {
	System, Prompt string
	Schema         []byte // JSON schema of the answer
	MaxTokens      int    // limit on the answer
}

// Options holds the inputs of a task besides its text; all but the window are required.
type Options struct {
	// Count returns the number of tokens in a text.
	Count func(string) int
	// Block returns an element: a tag and its escaped body. The body must not keep unchanged any
	// text that imitates an element.
	Block func(tag, body string) string
	// Window is the number of tokens that the model has for a request and its answer, 0 if unknown.
	Window int
}

// Limits of a request in tokens of Options.Count. A model's own tokenizer may need more tokens for
// the same text, hence the margin on both sides; what a template adds to a request comes on top.
const (
	mostWindow  = 8192 // limit for models with larger windows: a small request is answered sooner
	template    = 256
	promptRoom  = 1.25 // ratio of a model's tokens to those counted
	answerRoom  = 1.5
	answerExtra = 48 // for names, quotes and escapes of a field
)

// errEmpty and the others state why an answer, or a part of it, is rejected. They never contain its
// text.
var (
	errEmpty   = errors.New("is empty")
	errLonger  = errors.New("is longer than what it would replace")
	errLost    = errors.New("lost what had to be kept")
	errUnknown = errors.New("names what was not shown")
	errTag     = errors.New("imitates an element")
	errLines   = errors.New("has more than one line")
	errText    = errors.New("is not clean text")
	errOrder   = errors.New("is shorter than the level below it")
)

// request returns a request if it fits into the window. most is the length of the answer, fields
// the number of its fields.
func (o Options) request(system, prompt string, schema []byte, most, fields int) (Request, bool) {
	r := Request{System: system, Prompt: prompt, Schema: schema, MaxTokens: int(float64(most)*answerRoom) + answerExtra*fields}
	used := float64(o.Count(system)+o.Count(prompt)) * promptRoom
	window := mostWindow
	if o.Window > 0 {
		window = min(window, o.Window)
	}
	return r, int(used)+r.MaxTokens+template <= window
}

// read decodes an answer, which must be one JSON value in valid UTF-8 without unknown fields.
func read(answer string, into any) error {
	if !utf8.ValidString(answer) {
		return fmt.Errorf("read answer: %w", errText)
	}
	dec := json.NewDecoder(strings.NewReader(answer))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil {
		return errors.New("read answer: is not what was asked for") // the decoder's message may quote the answer
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("read answer: continues after its end")
	}
	return nil
}

// check holds the conditions that a text of an answer must meet.
type check struct {
	source string   // what the model was shown
	keep   []string // must be in the text
	most   int      // tokens
	line   bool     // one line only
}

// text returns a text of an answer in usable form, or an error if it fails a check.
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

// unclean reports whether a character does not occur in text that people write: a control
// character, or a remnant of a broken encoding.
func unclean(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// invented returns the paths, identifiers and numbers of a text that its source does not contain.
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

// leastNumber is the number of digits from which a number cannot be the result of counting.
const leastNumber = 2

// words returns the number of words that a model is asked for, given a number of tokens. It is low
// because models count poorly.
func words(tokens int) int { return max(tokens*3/5, 4) }

// keepTokens is the number of tokens at which lists of what to keep are cut; a model may still keep
// what is not listed.
const keepTokens = 900

// keepList returns what is to be kept as a JSON list within room tokens.
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

// plainJSON returns JSON without HTML escapes: a model should copy what it sees.
func plainJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil { // strings and lists of strings: cannot fail
		return "[]"
	}
	return strings.TrimSpace(b.String())
}
