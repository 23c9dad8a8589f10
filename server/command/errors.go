package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Codes of JSON-RPC and LSP in answers.
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
	// DataNotFound: the named thing does not exist.
	DataNotFound = "notFound"
	// DataExists: the thing to create exists already.
	DataExists = "exists"
	// DataUnavailable: the facility is switched off or missing.
	DataUnavailable = "unavailable"
	// DataPromptExceedsBudget: the prompt alone does not fit; data.needed is the number of tokens
	// that would suffice.
	DataPromptExceedsBudget = "promptExceedsBudget"
	// DataCorrupt: the store is damaged; nothing was written.
	DataCorrupt = "corrupt"
	// DataFailed: anything else.
	DataFailed = "failed"
)

// Error is the answer of a command that failed. It is immutable.
type Error struct {
	// Code of JSON-RPC or LSP.
	Code int
	// Message for a person; lower case, without a full stop.
	Message string
	// Field is the path of the argument at fault ("messages[3].role"), with CodeInvalidParams.
	Field string
	// DataCode is the code for callers to act on, with CodeRequestFailed.
	DataCode string
	// Data holds further members of the error's data.
	Data map[string]any

	cause error
}

// Error returns the message, preceded by the field when there is one.
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap returns the cause of the error, or nil.
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

// InvalidParams returns the error that the argument at the path field is invalid.
func InvalidParams(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidParams, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error that something, such as `conversation "c1"`, does not exist.
func NotFound(what string) *Error {
	return failed(DataNotFound, what+" does not exist", nil)
}

// Exists returns the error that something exists already.
func Exists(what string) *Error {
	return failed(DataExists, what+" exists already", nil)
}

// Unavailable returns the error that something is switched off or missing.
func Unavailable(what string) *Error {
	return failed(DataUnavailable, what+" is not available", nil)
}

// PromptExceedsBudget returns the error that the prompt alone needs a budget of needed tokens.
func PromptExceedsBudget(needed int) *Error {
	e := failed(DataPromptExceedsBudget, fmt.Sprintf("the prompt alone needs a budget of %d tokens", needed), nil)
	e.Data = map[string]any{"needed": needed}
	return e
}

// Corrupt returns the error that a store is damaged. err's text should name the path and what to
// do.
func Corrupt(err error) *Error {
	return failed(DataCorrupt, err.Error(), err)
}

// Failed wraps any other failure.
func Failed(err error) *Error {
	return failed(DataFailed, err.Error(), err)
}

// Cancelled returns the answer to a request that the client has cancelled.
func Cancelled() *Error {
	return &Error{Code: CodeRequestCancelled, Message: "request cancelled", cause: context.Canceled}
}

func failed(code, message string, cause error) *Error {
	return &Error{Code: CodeRequestFailed, DataCode: code, Message: message, cause: cause}
}

// AsError returns any error as an answer: an *Error in its chain unchanged, a cancelled context as
// RequestCancelled, everything else as Failed. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e // also nil: an error that holds a nil *Error means success
	}
	if errors.Is(err, context.Canceled) {
		return Cancelled()
	}
	return Failed(err)
}
