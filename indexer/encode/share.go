package encode

import (
	"context"

	"github.com/contexture-dev/contexture/indexer/vector"
)

// Kind identifies a model to other machines. Nothing in it depends on this machine, except that the
// probes differ slightly between processors and builds of the model's server.
type Kind struct {
	// Digest changes whenever the same text may get another vector on a server that works.
	Digest     string
	Dimensions int
	// Probes are the rows that the model makes of texts that are the same on all machines. They
	// detect servers that embed differently with the same weights. Empty = not checked.
	Probes [][]int8
}

// sameProbe is the cosine from which two probes count as made by one model, see [Kind.Matches].
const sameProbe = .985

// Matches reports whether rows of both kinds can be compared. Kinds of the same texts' probes on
// another processor have cosines above .99, which quantising changes by less than .005.
func (k Kind) Matches(o Kind) bool {
	return k.Digest == o.Digest && k.Dimensions == o.Dimensions && k.Resembles(o.Probes)
}

// Resembles reports whether probes were made by the same model as the kind's.
func (k Kind) Resembles(probes [][]int8) bool {
	if len(k.Probes) != len(probes) {
		return false
	}
	for i, p := range k.Probes {
		if vector.Similarity(p, probes[i]) < sameProbe {
			return false
		}
	}
	return true
}

// Portable is implemented by models whose rows other machines can use.
type Portable interface {
	// Kind does not change during the model's life. It must not be changed.
	Kind() Kind
}

// Shared exchanges rows with other machines that embed by the same model. Implementations are safe
// for concurrent use.
type Shared interface {
	// Rows returns the row that another machine made of each text, nil where there is none or it
	// cannot be fetched; the result is nil if there is none at all. It returns when ctx ends at the
	// latest.
	Rows(ctx context.Context, kind Kind, hashes []Hash) [][]int8
	// Offer states that this machine uses texts, and lends their rows to others. row returns a
	// text's row, or nil; it is called later, from another goroutine. Offer does not block and does
	// not keep hashes.
	Offer(kind Kind, hashes []Hash, row func(Hash) []int8)
}
