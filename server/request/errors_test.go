package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/contexture-dev/contexture/indexer/source"
	index "github.com/contexture-dev/contexture/indexer/store"
	memory "github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/jsonrpc2"
)

// TestErrorsSurviveEncoding checks that a decoded error has the same text, and that errors.Is and
// errors.As still find its cause.
func TestErrorsSurviveEncoding(t *testing.T) {
	for _, tt := range []struct {
		err error
		is  error // what errors.Is finds; nil for nothing
	}{
		{errors.New("odd"), nil},
		{fmt.Errorf("wait: %w", context.Canceled), context.Canceled},
		{fmt.Errorf("open workspace /: it is %w", source.ErrUnsafeRoot), source.ErrUnsafeRoot},
		{fmt.Errorf("open workspace: %w", &os.PathError{Op: "stat", Path: "gone", Err: os.ErrNotExist}), fs.ErrNotExist},
		{&os.PathError{Op: "mkdir", Path: "x", Err: os.ErrPermission}, fs.ErrPermission},
		{command.Cancelled(), context.Canceled},
		{command.NotFound("conversation \"c\""), nil},
	} {
		got := Decode(Encode(tt.err))
		if got.Error() != tt.err.Error() || tt.is != nil && !errors.Is(got, tt.is) {
			t.Errorf("%v became %v", tt.err, got)
		}
		for _, other := range plainCauses {
			if errors.Is(got, other) != errors.Is(tt.err, other) {
				t.Errorf("%v: %v is found %t", tt.err, other, errors.Is(got, other))
			}
		}
	}
}

func TestLockErrorsSurviveEncoding(t *testing.T) {
	err := Decode(Encode(command.Failed(&index.LockedError{Dir: "x", PID: 7})))
	if locked, ok := errors.AsType[*index.LockedError](err); !ok || locked.PID != 7 {
		t.Errorf("got %v", err)
	}
	err = Decode(Encode(fmt.Errorf("open memory: %w", &memory.LockedError{Path: "x", Holder: 9})))
	if locked, ok := errors.AsType[*memory.LockedError](err); !ok || locked.Holder != 9 {
		t.Errorf("got %v", err)
	}
	if _, ok := errors.AsType[*index.LockedError](err); ok {
		t.Error("the other store is locked too")
	}
}

// FuzzDecode checks that any input decodes to an error with a text.
func FuzzDecode(f *testing.F) {
	f.Add("odd", []byte(`{"causes":["canceled","none","indexLocked"],"holder":-1}`), -32803)
	f.Add("request cancelled", []byte("x"), -32800)
	f.Fuzz(func(t *testing.T, text string, data []byte, code int) {
		err := Decode(&jsonrpc2.Error{Code: jsonrpc2.Code(code), Message: text, Data: jsonrpc2.RawMessage(data)})
		if err.Error() != text {
			t.Errorf("%q became %q", text, err)
		}
		if code == command.CodeRequestCancelled && !json.Valid(data) && len(data) == 0 && !errors.Is(err, context.Canceled) {
			t.Error("it is not cancelled")
		}
	})
}
