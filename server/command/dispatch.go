package command

import (
	"context"
	"encoding/json"
	"errors"
)

// Info describes a command to code that exposes commands, such as MCP.
type Info struct {
	// Name is the id, "contexture.bundle".
	Name string
	// Doc is what the command does.
	Doc string
	// Writes names what the command changes, "memory" or "index"; "" means that it only reads.
	Writes string
	// Args and Result are the names of the types, as in the schema's $defs.
	Args, Result string
}

// Dispatch decodes args, calls the command name of c, and returns its result ready to be
// marshalled. The error is always an [*Error]: InvalidParams for an unknown command (field
// "command") or wrong arguments, else the command's error. A request whose context has been
// cancelled is answered RequestCancelled, unless the command had finished. See [Decode] for how
// arguments are decoded.
func Dispatch(ctx context.Context, c Commands, name string, args []json.RawMessage) (any, error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, Cancelled()
	}
	call, known := methods[name]
	if !known {
		return nil, unknownCommand(name)
	}
	result, err := call(ctx, c, args)
	if e := AsError(err); e != nil {
		// An error caused by the cancelled context need not wrap its error.
		if e.DataCode == DataFailed && errors.Is(ctx.Err(), context.Canceled) {
			return nil, Cancelled()
		}
		return nil, e
	}
	return Normalize(result), nil
}

// method decodes the arguments of one command, calls it and returns its result.
type method func(ctx context.Context, c Commands, raw []json.RawMessage) (any, error)

// invoke returns the method that decodes arguments for one command of the contract.
func invoke[A, R any](command func(Commands, context.Context, *A) (*R, error)) method {
	return func(ctx context.Context, c Commands, raw []json.RawMessage) (any, error) {
		args := new(A)
		if err := decodeArguments(raw, args); err != nil {
			return nil, err
		}
		result, err := command(c, ctx, args)
		if e := AsError(err); e != nil {
			return nil, e
		}
		if result == nil {
			return nil, Failed(errors.New("the command has returned neither a result nor an error"))
		}
		return result, nil
	}
}

func unknownCommand(name string) *Error {
	return InvalidParams("command", "%q is not a command", clip(name))
}
