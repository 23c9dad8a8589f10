package command

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Info describes a command to code that exposes commands, such as MCP.
type Info struct {
	// Name is the id, "contexture.bundle".
	Name string
	// Doc is what the command does.
	Doc string
	// Writes names what the command changes, "memory" or "index"; "" means that it only reads.
	Writes string
	// Idempotent and Once state when a second call with the same arguments changes nothing more,
	// and what it may answer then.
	Idempotent, Once Repeat
	// Destructive means that it removes or replaces something.
	Destructive bool
	// Waits is how it waits for earlier changes: "itself", "briefly", or "" until they are visible.
	Waits string
	// Unordered means that later commands do not wait for what it changes.
	Unordered bool
	// Slot is its class of work: "quick", "write", "large" or "interactive".
	Slot string
	// OwnSlot means that it takes its slot itself, or needs none.
	OwnSlot bool
	// Personal means that no assistant may call it.
	Personal bool
	// Args and Result are the names of the types, as in the schema's $defs.
	Args, Result string
}

// Repeat is what a second call of a command with the same arguments comes to.
type Repeat struct {
	// Answer is "" where nothing is known of it, "same", "removed", "notFound" or "exists".
	Answer string
	// Field is the path of a field that must be set, "messages.id"; "" if none must.
	Field string
}

// Holds reports whether it holds for some arguments.
func (r Repeat) Holds(arguments []json.RawMessage) bool {
	if r.Answer == "" || r.Field == "" {
		return r.Answer != ""
	}
	return len(arguments) == 1 && isSet(arguments[0], strings.Split(r.Field, "."))
}

// isSet reports whether the field at a path has a value other than its zero value, in each element
// of a list.
func isSet(value json.RawMessage, path []string) bool {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && list != nil {
		return !slices.ContainsFunc(list, func(v json.RawMessage) bool { return !isSet(v, path) })
	}
	if len(path) == 0 {
		return !slices.Contains([]string{``, `null`, `""`, `false`, `0`}, string(value))
	}
	var object map[string]json.RawMessage
	return json.Unmarshal(value, &object) == nil && isSet(object[path[0]], path[1:])
}

// InfoOf returns the description of a command by its id.
func InfoOf(name string) (info Info, ok bool) {
	at := slices.Index(Names, name)
	if at < 0 {
		return info, false
	}
	return Infos[at], true
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
