package ollamatest

import "time"

// Kind is what a [Proxy] does instead of passing an answer on.
type Kind int

// The kinds of faults.
const (
	None      Kind = iota
	Slow           // the right answer, after Delay
	Hang           // no answer, until the client gives up or the proxy ends
	Cut            // the connection breaks in the middle of the right answer
	Drop           // the connection breaks before any answer
	Error          // the status Status with an error in JSON, as the server words it
	Garbage        // 200 and a page of HTML
	Empty          // 200 and no body
	Truncated      // 200 and the first half of the right answer, as if it were whole
	Missing        // 404 as the server gives it for a model that is not there
	Redirect       // to Location
	Drip           // the right answer, byte by byte with Delay between them
	Endless        // 200 and an answer that begins well and goes on until the client gives up or the proxy ends

	// These change the vectors of the right answer of /api/embed; any other answer stays as it is.

	TooFew         // the last vector is missing
	TooMany        // the last vector comes twice
	NoVectors      // none, and no error
	WrongDimension // all vectors have lost their last number
	OneShort       // the last vector alone has
	NotANumber     // the first number of the last vector is NaN, which is no JSON
	Infinite       // it is 1e39, beyond 32 bits
	Null           // it is null
	Zero           // the last vector is all zeros
	Unnormalised   // the last vector is a thousand times as long

	Rewritten // the right answer, through Rewrite
)

// Fault is one way to fail.
type Fault struct {
	Kind Kind
	// Path that fails, such as "/api/embed"; empty: all paths.
	Path string
	// Holding limits the fault to requests whose body holds this text.
	Holding string
	// Times is how many requests it hits before it ends; 0: all until it is set
	// anew.
	Times int

	Delay    time.Duration         // of Slow and Drip
	Status   int                   // of Error; 500 by default
	Message  string                // of Error
	Location string                // of Redirect, without the path
	Rewrite  func(b []byte) []byte // of Rewritten; called by many goroutines
}
