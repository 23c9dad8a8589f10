package budget

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// Options are the options of Fill. The zero value packs with a decay of 0.95 and no overhead.
type Options struct {
	Decay    float64 // per further item of a group, 0–1; 0 means DefaultDecay
	Overhead int     // tokens of fixed text that belongs to no item
}

// DefaultDecay was measured on code retrieval (bench/README.md).
const DefaultDecay = 0.95

// Plan is a filled budget.
type Plan struct {
	Layers [item.NumLayers]Allocation
	Forms  []int   // of each item: the index of the form that is in; -1 = none
	Tokens int     // of the whole bundle: all that is used, and the overhead
	Value  float64 // Σ value × worth × decay^k of what was taken
}

// checkItems returns an *ItemError for the first item that cannot be packed.
func checkItems(items []*item.Item) error {
	for i := range items {
		it := items[i]
		switch {
		case !it.Layer.Valid():
			return &ItemError{i, "layer"}
		case len(it.Forms) == 0:
			return &ItemError{i, "forms"}
		case !finite(it.Value):
			return &ItemError{i, "value"}
		}
		for _, f := range it.Forms {
			if f.Tokens < 0 {
				return &ItemError{i, "tokens"}
			}
			if !finite(f.Worth) {
				return &ItemError{i, "worth"}
			}
		}
	}
	return nil
}

func finite(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
