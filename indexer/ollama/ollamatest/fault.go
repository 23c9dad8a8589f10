package ollamatest

import "time"

// Kind is the behaviour of a [Proxy] instead of passing an answer on.
type Kind int

// The kinds of faults.
const (
	None      Kind = iota
	Slow           // the right answer, after Delay
	Hang           // no answer, until the client gives up or the proxy ends
	Cut            // the connection breaks in the middle of the right answer
	Drop           // the connection breaks before any answer
	Error          // the status Status with an error in JSON, in the server's format
	Garbage        // 200 and a page of HTML
	Empty          // 200 and no body
	Truncated      // 200 and the first half of the right answer, as if it were whole
	Missing        // 404 as the server sends it for a model that is not installed
	Redirect       // to Location
	Drip           // the right answer, byte by byte with Delay between them
	Endless        // 200 and an endless answer, until the client gives up or the proxy ends

	// These change the vectors of the right answer of /api/embed; other answers stay unchanged.

	TooFew         // the last vector is missing
	TooMany        // the last vector comes twice
	NoVectors      // none, and no error
	WrongDimension // all vectors lack their last number
	OneShort       // only the last vector lacks it
	NotANumber     // the first number of the last vector is NaN, which is not JSON
	Infinite       // it is 1e39, beyond 32 bits
	Null           // it is null
	Zero           // the last vector is all zeros
	Unnormalised   // the last vector is a thousand times as long

	Rewritten // the right answer, transformed by Rewrite
)

// Fault is one failure to inject.
type Fault struct {
	Kind Kind
	// Path is the path that fails, such as "/api/embed"; empty: all paths.
	Path string
	// Holding limits the fault to requests whose body contains this text.
	Holding string
	// Times is the number of requests that fail before the fault ends; 0: all until it is replaced.
	Times int

	Delay    time.Duration         // of Slow and Drip
	Status   int                   // of Error; 500 by default
	Message  string                // of Error
	Location string                // of Redirect, without the path
	Rewrite  func(b []byte) []byte // of Rewritten; called by many goroutines
}
