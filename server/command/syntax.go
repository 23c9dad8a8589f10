package command

// MaxSyntaxBytes bounds the texts of one request for syntax, in bytes of UTF-8.
const MaxSyntaxBytes = 1 << 20

// SyntaxArgs holds the texts whose syntax is requested.
type SyntaxArgs struct {
	Scope
	// Texts to parse; at most 1,048,576 bytes together.
	Texts []SyntaxText `json:"texts" check:"required,items=0..50"`
}

// SyntaxText is a text in some language.
type SyntaxText struct {
	// Path of the file that the text comes from, or its name, which determines the language when
	// `language` is absent; the file is not read.
	Path string `json:"path,omitempty" check:"chars=0..4096"`
	// Language by its name in Contexture, in an editor or in a code fence of Markdown.
	Language string `json:"language,omitempty" check:"chars=0..100"`
	// Text itself.
	Text string `json:"text" check:"required"`
}

// SyntaxResult holds the texts' spans.
type SyntaxResult struct {
	// Texts in the order of the request.
	Texts []SyntaxSpans `json:"texts"`
	// Degraded names the texts that took too long or could not be read: their spans are missing.
	Degraded []Degradation `json:"degraded"`
}

// SyntaxSpans are the spans of one text.
type SyntaxSpans struct {
	// Language as which the text was parsed; empty when unknown.
	Language string `json:"language"`
	// Spans in order, not overlapping. Text between them has no particular kind.
	Spans []SyntaxSpan `json:"spans"`
}

// SyntaxSpan is a range of bytes of UTF-8 in a text.
type SyntaxSpan struct {
	// Start is the offset of the first byte.
	Start int `json:"start"`
	// End is the offset after the last byte.
	End int `json:"end"`
	// Kind of syntax.
	Kind string `json:"kind" check:"enum=keyword|string|number|comment|type|function|property|constant|variable|operator|tag|attribute|heading|link"`
}

func (a *SyntaxArgs) check(path string) *Error {
	size := 0
	for i := range a.Texts {
		size += len(a.Texts[i].Text)
	}
	if size > MaxSyntaxBytes {
		return InvalidParams(join(path, "texts"), "must have at most %d bytes together", MaxSyntaxBytes)
	}
	return nil
}
