package request

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/contexture-dev/contexture/indexer/source"
	index "github.com/contexture-dev/contexture/indexer/store"
	memory "github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/jsonrpc2"
)

// cause is the wire name of an error to which a client reacts.
type cause string

// Causes that clients distinguish.
const (
	canceled     cause = "canceled"
	unsafeRoot   cause = "unsafeRoot"
	notExist     cause = "notExist"
	permission   cause = "permission"
	indexLocked  cause = "indexLocked"
	memoryLocked cause = "memoryLocked"
)

// plainCauses are the causes that carry no further data.
var plainCauses = map[cause]error{
	canceled: context.Canceled, unsafeRoot: source.ErrUnsafeRoot, notExist: fs.ErrNotExist, permission: fs.ErrPermission,
}

// errorData is the data field of an error response.
type errorData struct {
	Causes []cause `json:"causes,omitempty"`
	Holder int     `json:"holder,omitempty"` // the process that has a store locked
}

// Encode returns the response to a request that failed with err: the text of err, and the cause to
// which the client reacts.
func Encode(err error) *jsonrpc2.Error {
	var data errorData
	for _, c := range []cause{canceled, unsafeRoot, notExist, permission} {
		if errors.Is(err, plainCauses[c]) {
			data.Causes = append(data.Causes, c)
		}
	}
	if locked, ok := errors.AsType[*index.LockedError](err); ok {
		data.Causes, data.Holder = append(data.Causes, indexLocked), locked.PID
	}
	if locked, ok := errors.AsType[*memory.LockedError](err); ok {
		data.Causes, data.Holder = append(data.Causes, memoryLocked), locked.Holder
	}
	out := jsonrpc2.NewError(jsonrpc2.Code(command.CodeRequestFailed), err.Error())
	if raw, failed := json.Marshal(data); failed == nil && len(data.Causes) > 0 {
		out.Data = jsonrpc2.RawMessage(raw)
	}
	return out
}

// serverError is an error as the server reported it.
type serverError struct {
	text   string
	causes []error
}

func (e *serverError) Error() string   { return e.text }
func (e *serverError) Unwrap() []error { return e.causes }

// Decode returns the error that a response carries. Its text is that of the server's error, and
// errors.Is and errors.As find what Encode found: the errors of contexts, files and roots, and
// those of locked stores.
func Decode(wire *jsonrpc2.Error) error {
	out := &serverError{text: wire.Message}
	var data errorData
	if len(wire.Data) > 0 && json.Unmarshal(wire.Data, &data) != nil {
		return out // the text says what is wrong
	}
	for _, c := range data.Causes {
		switch c {
		case indexLocked:
			out.causes = append(out.causes, &index.LockedError{PID: data.Holder})
		case memoryLocked:
			out.causes = append(out.causes, &memory.LockedError{Holder: data.Holder})
		default:
			if known := plainCauses[c]; known != nil {
				out.causes = append(out.causes, known)
			}
		}
	}
	if wire.Code == command.CodeRequestCancelled && len(out.causes) == 0 {
		out.causes = []error{context.Canceled}
	}
	return out
}
