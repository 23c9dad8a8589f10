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

// Kind is the class of an error, by what the caller should do.
type Kind int

// The kinds of errors, each with the caller's action.
const (
	Failed       Kind = iota // the server answered with an error of its own
	Unreachable              // no server listens at the address: try later
	Timeout                  // no answer in time: try later, or with less
	ModelMissing             // the model is not installed: the user has to pull it
	TooLong                  // the text is longer than the model's context: send parts
	Overloaded               // the server's queue is full: try later
	BadAnswer                // an unusable answer: wrong count or dimension, not a number, not JSON, cut off
	Refused                  // not sent: the host is not allowed, or the model runs on another machine
)

var kindNames = [...]string{"failed", "unreachable", "timed out", "model missing", "text too long", "overloaded", "bad answer", "refused"}

func (k Kind) String() string { return kindNames[k] }

// Error is the error of a failed call.
type Error struct {
	Kind   Kind
	Op     string // connect, version, tags, show, embed, chat
	Model  string // empty if there is none
	Detail string // for the user; contains no text of files or conversations
	Err    error  // the cause, if it adds information

	// Item means that the text itself is at fault: others succeed, and this one fails until it
	// changes.
	Item bool
	// After, if not zero, is the time for which calls to the server fail without being sent.
	After time.Duration

	again bool // a retry may succeed
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

// KindOf returns the kind of err. An error of another package is Failed, or Timeout for an expired
// deadline.
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

// Reason returns err in the words of the contract: timeout, unreachable, modelMissing, badAnswer,
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

// unanswered returns the error of a request without an answer.
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
		cause = inner // without the address, which may contain a password
	}
	return &Error{Kind: Unreachable, Op: k.op, Model: k.model, Err: cause, again: true,
		Detail: cause.Error() + "; start Ollama, or set ollama.url"}
}

// refusal returns the error for an answer other than 200. Ollama states the reason in {"error":
// "…"}; the phrases below are those of its versions 0.5 to 0.17.
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
		e.Kind, e.Detail = BadAnswer, fmt.Sprintf("it redirects (status %d), which is not followed", status)
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

// clip cuts text to at most n bytes, at a rune boundary.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
