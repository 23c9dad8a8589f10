package budget

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// Plan is a filled budget.
type Plan struct {
	Layers [item.NumLayers]Allocation
	Forms  []int   // of each item: the index of the form that is in; -1 = none
	Tokens int     // of the whole bundle
	Value  float64 // Σ value × worth of what was taken
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
