package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind is what went wrong, told apart by what to do about it.
type Kind int

// The kinds of errors, each with what the caller does about it.
const (
	Failed       Kind = iota // the server answered with an error of its own
	Unreachable              // nothing listens there: try later
	Timeout                  // no answer in time: try later, or with less
	ModelMissing             // the model is not installed: the person has to pull it
	TooLong                  // the text is longer than the model's context: send parts
	Overloaded               // the server's queue is full: try later
	BadAnswer                // an answer that cannot be used: wrong count or dimension, no number, not JSON, cut off
	Refused                  // not sent: the host is not allowed, or the model runs on another machine
)

var kindNames = [...]string{"failed", "unreachable", "timed out", "model missing", "text too long", "overloaded", "bad answer", "refused"}

func (k Kind) String() string { return kindNames[k] }

// Error is a call that failed.
type Error struct {
	Kind   Kind
	Op     string // connect, version, tags, show, embed, chat
	Model  string // empty where there is none
	Detail string // what a person reads; no text of files or conversations
	Err    error  // the cause, if it says more

	// Item says that the text itself is at fault: others get through, and this one will fail again
	// until it changes.
	Item bool
	// After, if not zero, is how long the server is left alone: a call before fails without being
	// sent.
	After time.Duration

	again bool // the same call may well succeed the next time
}

func (e *Error) Error() string {
	text := "ollama " + e.Op
	if e.Model != "" {
		text += " " + e.Model
	}
	text += ": " + e.Kind.String()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of err. An error that is not of this package is Failed, or Timeout for a
// deadline that passed.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Failed
}

// Reason is err in the words of the contract: timeout, unreachable, modelMissing, badAnswer,
// overloaded or error; empty for nil.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	switch KindOf(err) {
	case Unreachable:
		return "unreachable"
	case Timeout:
		return "timeout"
	case ModelMissing:
		return "modelMissing"
	case Overloaded:
		return "overloaded"
	case BadAnswer:
		return "badAnswer"
	}
	return "error"
}

// unanswered is the error of a request that got no answer.
func unanswered(ctx context.Context, k call, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errPreempted):
		return errPreempted
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("ollama %s: %w", k.op, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Kind: Timeout, Op: k.op, Model: k.model, Detail: "the model server did not answer in time", Err: context.DeadlineExceeded}
	}
	cause := err
	for inner := errors.Unwrap(cause); inner != nil; inner = errors.Unwrap(cause) {
		cause = inner // the innermost says "connection refused" without the address, which may hold a password
	}
	return &Error{Kind: Unreachable, Op: k.op, Model: k.model, Err: cause, again: true,
		Detail: cause.Error() + "; start Ollama, or set ollama.url"}
}

// refusal is the error of an answer that is not 200. Ollama says why in {"error": "…"}; the words
// below are those of its versions 0.5 to 0.17.
func refusal(k call, status int, body []byte) error {
	e := &Error{Kind: Failed, Op: k.op, Model: k.model}
	var said struct{ Error string }
	if json.Unmarshal(body, &said) == nil && said.Error != "" {
		e.Detail = fmt.Sprintf("%s (%d)", clip(said.Error, 200), status)
	} else {
		e.Detail = fmt.Sprintf("status %d", status)
	}
	words := strings.ToLower(said.Error)
	switch {
	case status >= 300 && status < 400:
		e.Kind, e.Detail = BadAnswer, fmt.Sprintf("it sends elsewhere (status %d), which is not followed", status)
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
		e.Kind = Overloaded
	case status == http.StatusGatewayTimeout, status == http.StatusRequestTimeout:
		e.Kind = Timeout
	case status == http.StatusBadGateway:
		e.Kind = Unreachable
	case status == http.StatusNotFound && k.model != "" && strings.Contains(words, "not found"):
		e.Kind = ModelMissing
		e.Detail = fmt.Sprintf("run: ollama pull %s", k.model)
	case strings.Contains(words, "context length"), strings.Contains(words, "context size"),
		strings.Contains(words, "input is too large"), strings.Contains(words, "input too long"):
		e.Kind = TooLong
	case strings.HasSuffix(words, "eof"), strings.Contains(words, "runner process"),
		strings.Contains(words, "connection reset"), strings.Contains(words, "connection refused"):
		e.again = true // the model's process died; the server starts another one
	}
	return e
}

// clip cuts text to at most n bytes, at a rune's border.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
