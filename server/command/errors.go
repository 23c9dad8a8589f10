package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Codes of JSON-RPC and LSP that answers carry.
const (
	CodeParseError           = -32700
	CodeInvalidRequest       = -32600
	CodeMethodNotFound       = -32601
	CodeInvalidParams        = -32602
	CodeInternalError        = -32603
	CodeServerNotInitialized = -32002
	CodeRequestFailed        = -32803
	CodeServerCancelled      = -32802
	CodeContentModified      = -32801
	CodeRequestCancelled     = -32800
)

// Values of data.code in a RequestFailed answer.
const (
	// DataNotFound: what was named does not exist.
	DataNotFound = "notFound"
	// DataExists: what was to be made exists already.
	DataExists = "exists"
	// DataUnavailable: the machinery is switched off or not there.
	DataUnavailable = "unavailable"
	// DataPromptExceedsBudget: the prompt alone does not fit; data.needed says how many tokens
	// would.
	DataPromptExceedsBudget = "promptExceedsBudget"
	// DataCorrupt: the store is damaged; nothing was written.
	DataCorrupt = "corrupt"
	// DataFailed: anything else.
	DataFailed = "failed"
)

// Error is the answer of a command that did not succeed. It is immutable once made.
type Error struct {
	// Code of JSON-RPC or LSP.
	Code int
	// Message for a person; lower case, without a full stop.
	Message string
	// Field is the path of the argument at fault ("messages[3].role"), with CodeInvalidParams.
	Field string
	// DataCode is what callers act on, with CodeRequestFailed.
	DataCode string
	// Data holds further members of the error's data.
	Data map[string]any

	cause error
}

// Error returns the message, led by the field when there is one.
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap returns what caused the error, or nil.
func (e *Error) Unwrap() error { return e.cause }

// DataJSON returns the error's data for the wire, `{"field":…}` or `{"code":…, …}`; nil when there
// is none.
func (e *Error) DataJSON() json.RawMessage {
	data := maps.Clone(e.Data)
	if data == nil {
		data = map[string]any{}
	}
	if e.Field != "" {
		data["field"] = e.Field
	}
	if e.DataCode != "" {
		data["code"] = e.DataCode
	}
	if len(data) == 0 {
		return nil
	}
	raw, err := json.Marshal(data)
	if err != nil {
		// Only Data can fail to marshal; the two members that callers act on are plain strings and
		// must still arrive.
		raw, _ = json.Marshal(map[string]string{"field": e.Field, "code": e.DataCode})
	}
	return raw
}

// InvalidParams says that the argument at the path field is wrong.
func InvalidParams(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidParams, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound says that what, such as `conversation "c1"`, does not exist.
func NotFound(what string) *Error {
	return failed(DataNotFound, what+" does not exist", nil)
}

// Exists says that what exists already.
func Exists(what string) *Error {
	return failed(DataExists, what+" exists already", nil)
}

// Unavailable says that what is switched off or not there.
func Unavailable(what string) *Error {
	return failed(DataUnavailable, what+" is not available", nil)
}

// PromptExceedsBudget says that the prompt alone needs a budget of needed tokens.
func PromptExceedsBudget(needed int) *Error {
	e := failed(DataPromptExceedsBudget, fmt.Sprintf("the prompt alone needs a budget of %d tokens", needed), nil)
	e.Data = map[string]any{"needed": needed}
	return e
}

// Corrupt says that a store is damaged. The error's text should name the path and what to do.
func Corrupt(err error) *Error {
	return failed(DataCorrupt, err.Error(), err)
}

// Failed wraps any other failure.
func Failed(err error) *Error {
	return failed(DataFailed, err.Error(), err)
}

// Cancelled answers a request that the client has cancelled.
func Cancelled() *Error {
	return &Error{Code: CodeRequestCancelled, Message: "request cancelled", cause: context.Canceled}
}

func failed(code, message string, cause error) *Error {
	return &Error{Code: CodeRequestFailed, DataCode: code, Message: message, cause: cause}
}

// AsError turns any error into an answer: an *Error in its chain as it is, a cancelled context into
// RequestCancelled, everything else into Failed. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e // nil too: a nil *Error in an error is no error
	}
	if errors.Is(err, context.Canceled) {
		return Cancelled()
	}
	return Failed(err)
}
