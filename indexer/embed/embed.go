// Package embed computes vectors of code and prose without a model server or a download, by a table
// of words that is part of the program: words that say the same get similar directions, so that a
// query finds a chunk that expresses the same in other words.
//
// [Shipped] returns the table; [Table.EmbedAll] computes the vectors of many documents,
// [Table.Embed] that of a query. Both return equal bytes for equal terms with equal weights.
//
// A Table is immutable and safe for concurrent use. Nothing here does I/O, keeps state between
// calls or leaves a goroutine behind.
package embed

// Posting is one document that holds a term.
type Posting struct {
	Doc    uint32
	Weight uint8 // the term's frequency in the document, by field as the index weights it; 0 counts as absent
}

// Source is a corpus that does not change while it is read. It is read from one goroutine, twice by
// [Table.EmbedAll].
type Source interface {
	// Docs returns the number of documents; postings number them from 0.
	Docs() int
	// Terms yields each term once, in ascending byte order, until yield returns false. postings
	// appends the term's documents in ascending order to buf[:0] and returns it; it is valid until
	// yield returns and is called only for terms that are needed.
	Terms(yield func(term string, postings func(buf []Posting) []Posting) bool)
}
