// Package embed makes vectors of code and prose with no model server and no download: latent
// semantic analysis of the workspace's own terms. Words that occur in the same chunks get similar
// directions, so that a query finds a chunk that says the same in other words.
//
// [Train] learns a [Model] from the postings of a lexical index; [Model.EmbedAll] makes the vectors
// of all chunks, [Model.Embed] that of a query or of a chunk that has come since. Equal terms with
// equal weights give equal bytes by either way, so a chunk that was folded in alone equals the one
// of a rebuilt index under the same model. [Model.Drift] tells when to train again.
//
// The method is Deerwester et al., "Indexing by Latent Semantic Analysis" (1990), with the
// truncated singular value decomposition of Halko, Martinsson and Tropp, "Finding Structure with
// Randomness" (2011), algorithms 4.4 and 5.1.
//
// A Model is immutable and safe for concurrent use. Nothing here does I/O, keeps state between
// calls or leaves a goroutine behind.
package embed

import "errors"

// ErrTooSmall says that the corpus has too little to learn from: go on without vectors, and train
// when it has grown.
var ErrTooSmall = errors.New("embed: too few documents or terms to learn from")

// Posting is one document that holds a term.
type Posting struct {
	Doc    uint32
	Weight uint8 // the term's frequency in the document, by field as the index weights it; 0 counts as absent
}

// Source is a corpus that stays the same while it is read. It is read from one goroutine, and more
// than once by [Train] and [Model.EmbedAll].
type Source interface {
	// Docs is the number of documents; postings name them from 0.
	Docs() int
	// Terms yields each term once, in ascending byte order, until yield returns false. postings
	// appends the term's documents in ascending order to buf[:0] and returns it; it is valid until
	// yield returns and is not called for terms that are not wanted.
	Terms(yield func(term string, postings func(buf []Posting) []Posting) bool)
}

// DocFrequencies is implemented by a [Source] that knows in how many documents each term occurs
// without reading its postings. It makes [Model.Drift] cheap.
type DocFrequencies interface {
	// DocFrequencies yields each term once, in ascending byte order, with its number of documents.
	DocFrequencies(yield func(term string, docs int) bool)
}

// Term is one term of a text to embed; the same one may come more than once, its weights add up.
type Term struct {
	Text   string
	Weight float64 // as Posting.Weight; need not be whole
}

// Options say how to train; the zero value is what the program uses.
type Options struct {
	Dimensions int    // of a vector, 192 unless told; a small corpus gets fewer
	MaxTerms   int    // known to the model, 30,000 unless told
	SampleDocs int    // to learn from, evenly spread, 16,000 unless told
	Seed       uint64 // of the random test matrix
	Threads    int    // 1 unless told; the result does not depend on it
	Begin      func() // called first by each goroutine that is started beside the caller's; nil for none
}

func (o Options) withDefaults() Options {
	if o.Dimensions <= 0 {
		o.Dimensions = 192
	}
	if o.MaxTerms <= 0 {
		o.MaxTerms = 30_000
	}
	if o.SampleDocs <= 0 {
		o.SampleDocs = 16_000
	}
	o.Dimensions = min(o.Dimensions, maxDimensions)
	o.MaxTerms = min(o.MaxTerms, maxTerms)
	o.Threads = max(o.Threads, 1)
	return o
}
