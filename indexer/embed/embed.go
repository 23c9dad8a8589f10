// Package embed computes vectors of code and prose without a model server or a download, by latent
// semantic analysis of the workspace's own terms. Words that occur in the same chunks get similar
// directions, so that a query finds a chunk that expresses the same in other words.
//
// [Train] learns a [Model] from the postings of a lexical index; [Model.EmbedAll] computes the
// vectors of all chunks, [Model.Embed] that of a query or of a new chunk. Both return equal bytes
// for equal terms with equal weights, so a chunk that was embedded alone equals the one of an index
// rebuilt with the same model. [Model.Drift] measures when to train again.
//
// The method is Deerwester et al., "Indexing by Latent Semantic Analysis" (1990), with the
// truncated singular value decomposition of Halko, Martinsson and Tropp, "Finding Structure with
// Randomness" (2011), algorithms 4.4 and 5.1.
//
// A Model is immutable and safe for concurrent use. Nothing here does I/O, keeps state between
// calls or leaves a goroutine behind.
package embed

import "errors"

// ErrTooSmall means that the corpus is too small to learn from: continue without vectors, and train
// when it has grown.
var ErrTooSmall = errors.New("embed: too few documents or terms to learn from")

// Posting is one document that holds a term.
type Posting struct {
	Doc    uint32
	Weight uint8 // the term's frequency in the document, by field as the index weights it; 0 counts as absent
}

// Source is a corpus that does not change while it is read. It is read from one goroutine, and more
// than once by [Train] and [Model.EmbedAll].
type Source interface {
	// Docs returns the number of documents; postings number them from 0.
	Docs() int
	// Terms yields each term once, in ascending byte order, until yield returns false. postings
	// appends the term's documents in ascending order to buf[:0] and returns it; it is valid until
	// yield returns and is called only for terms that are needed.
	Terms(yield func(term string, postings func(buf []Posting) []Posting) bool)
}

// DocFrequencies is implemented by a [Source] that can count the documents of each term without
// reading its postings. It makes [Model.Drift] cheap.
type DocFrequencies interface {
	// DocFrequencies yields each term once, in ascending byte order, with its number of documents.
	DocFrequencies(yield func(term string, docs int) bool)
}

// Term is one term of a text to embed; a term may be repeated, and its weights are added.
type Term struct {
	Text   string
	Weight float64 // as Posting.Weight; need not be whole
}

// Options are the training parameters; the zero value is what the program uses.
type Options struct {
	Dimensions int    // of a vector; 0 means 192; a small corpus gets fewer
	MaxTerms   int    // in the model; 0 means 30,000
	SampleDocs int    // to learn from, evenly spread; 0 means 16,000
	Seed       uint64 // of the random test matrix
	Threads    int    // 0 means 1; the result does not depend on it
	Begin      func() // called first by each additional goroutine; may be nil
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
