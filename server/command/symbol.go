package command

// SymbolArgs asks what the workspace knows about a name.
type SymbolArgs struct {
	Scope
	// Name as written in code, optionally qualified: `acquire`, `Pool.acquire`, `pool::acquire`.
	// When absent, the symbols of `path` are listed.
	Name string `json:"name,omitempty" check:"chars=0..500"`
	// Path of the file or folder that contains the definition, relative to the root or absolute;
	// anywhere when absent.
	Path string `json:"path,omitempty" check:"bytes=1..4096"`
	// Limit of each list.
	Limit int `json:"limit,omitempty" check:"default=20,min=1,max=200"`
	// DeadlineMS bounds the whole command, in milliseconds.
	DeadlineMS int `json:"deadlineMs,omitempty" check:"default=1000,min=50,max=60000"`
}

// SymbolResult holds what is known about a name.
type SymbolResult struct {
	// Name that was searched for, without its qualifier.
	Name string `json:"name"`
	// Definitions of the name: the workspace's own code first, then examples and tests.
	Definitions []Definition `json:"definitions"`
	// Occurrences that call or use it: calls first, near ones first, tests last. If nothing defines
	// the name, the lines that contain it.
	Occurrences []Occurrence `json:"occurrences"`
	// Mentions are the lines of comments and strings that have the name, in Go, JavaScript,
	// TypeScript, Python, Java, C, C++, C# and Rust.
	Mentions []Mention `json:"mentions,omitempty"`
	// Implementations of a type, or of a type's method in the types that implement it.
	Implementations []Definition `json:"implementations"`
	// Similar names, the nearest first, if nothing defines the name.
	Similar []Definition `json:"similar"`
	// Unparsed lists the languages of files with the name, or at the path, whose definitions the
	// index does not know: that nothing defines the name says nothing about them.
	Unparsed []string `json:"unparsed,omitempty"`
	// More counts what the limit left out.
	More SymbolMore `json:"more"`
	// Degraded lists what the answer lacks.
	Degraded []Degradation `json:"degraded"`
	// Versions that were searched.
	Versions Versions `json:"versions"`
}

// SymbolMore counts what the limit left out.
type SymbolMore struct {
	// Definitions left out.
	Definitions int `json:"definitions"`
	// Occurrences left out.
	Occurrences int `json:"occurrences"`
	// Implementations left out.
	Implementations int `json:"implementations"`
	// Mentions left out.
	Mentions int `json:"mentions,omitempty"`
	// AtLeast is true when there are more occurrences than were counted.
	AtLeast bool `json:"atLeast,omitempty"`
}

// Definition is a definition of a name.
type Definition struct {
	// ID of the item: `expand` of `contexture.recall` accepts it.
	ID string `json:"id,omitempty"`
	// Name that it defines.
	Name string `json:"name"`
	// Container that it belongs to, such as a type.
	Container string `json:"container,omitempty"`
	// Kind of definition, such as `function`.
	Kind string `json:"kind"`
	// Path relative to the root.
	Path string `json:"path"`
	// URI of the document.
	URI string `json:"uri"`
	// Range in the document.
	Range Range `json:"range"`
	// Signature in one line.
	Signature string `json:"signature"`
	// Text of the definition with the comment above it, at most 80 lines; absent when there are
	// more than three definitions.
	Text string `json:"text,omitempty"`
	// TextLine is the line at which the text begins, from 0.
	TextLine int `json:"textLine,omitempty"`
}

// Occurrence is a line with a name outside of comments, strings and definitions.
type Occurrence struct {
	// Path relative to the root.
	Path string `json:"path"`
	// URI of the document.
	URI string `json:"uri"`
	// Range of the line.
	Range Range `json:"range"`
	// Text of the line, without the white space around it.
	Text string `json:"text"`
	// In names the definition that contains the line.
	In string `json:"in,omitempty"`
	// Call is true when the line calls the name.
	Call bool `json:"call,omitempty"`
	// Unsure is true when the line may mean another definition of the same name.
	Unsure bool `json:"unsure,omitempty"`
	// Probability that an unsure line means one of the definitions, above 0 and below 1.
	Probability float64 `json:"probability,omitempty"`
}

// Mention is a line of a comment or a string with a name.
type Mention struct {
	// Path relative to the root.
	Path string `json:"path"`
	// URI of the document.
	URI string `json:"uri"`
	// Range of the line.
	Range Range `json:"range"`
	// Text of the line, without the white space around it.
	Text string `json:"text"`
}
