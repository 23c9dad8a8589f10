// Package command is the public contract of Contexture, version 1: one Go interface, [Commands],
// with a method for every `workspace/executeCommand` id, and the argument and result types of each.
//
// The types are the single source. JSON names live in their json tags, limits and defaults in their
// check tags, and the documentation in their doc comments; `go run ./cmd/gen` turns them into the
// dispatcher, the JSON Schema and the reference page, and a test fails when those drift. Adding an
// optional field or a command is a minor change; removing or renaming one needs a new version of
// the contract.
//
// To serve a request, call [Dispatch], which decodes strictly, calls the method and returns either
// a result that is ready to be marshalled or an [*Error]. Code inside the process may call the
// methods of Commands directly; it then has to fill in defaults itself (see [Decode]).
//
// # Check tags
//
// A field's check tag holds rules separated by commas; an each tag holds the same rules for the
// elements of a list, a keys tag those for the names in a map.
//
//	required          the field must be there; null counts as absent, except where any JSON value is allowed
//	default=V         the value when absent; without it the zero value says "absent"
//	setting=K         when absent the field stays zero and the implementation takes setting K
//	min=N, max=N      the bounds of a number, inclusive
//	bytes=A..B        the length of a string in bytes of UTF-8
//	chars=A..B        the length of a string in characters
//	items=A..B        the length of a list or the size of a map
//	enum=a|b          the only values
//	format=F          id (printable characters), uri (absolute), glob, turn (T-<n>), turnRef
package command

// Version is the version of the contract that this package defines; `initialize` announces it as
// experimental.contexture.version.
const Version = 1

// Prefix is what every command id starts with.
const Prefix = "contexture."

// Limits of the contract that are not tied to one field.
const (
	// MaxRequestBytes bounds one request as it comes over the wire.
	MaxRequestBytes = 64 << 20
	// MaxDepth bounds the nesting of objects and lists in a command's arguments; the arguments' own
	// object is 1.
	MaxDepth = 100
	// MaxMessageBytes bounds one message: content, reasoning and tool calls together.
	MaxMessageBytes = 4 << 20
)
