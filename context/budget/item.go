package budget

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// Form is one way to show an item.
type Form struct {
	Format string  // full, summary, tickler; not used here
	Tokens int     // delimiters included; sizes of chosen forms add up exactly
	Worth  float64 // the share of the item's score this form keeps, 0–1
}

// Item is something that may be in the bundle: a set of forms with sizes and values. Packing uses
// nothing else of an item.Item, so that it can be tested and measured with numbers alone.
type Item struct {
	Layer item.Layer
	// Group joins near-duplicates and pieces of one file; "" joins nothing. The
	// k-th best item of a group counts its value × Decay^k, k from 0.
	Group    string
	Score    float64 // ≥ 0; items are weighed against each other within a layer only
	Forms    []Form  // from best to shortest, at least one
	Required bool    // placed first, in the best form that fits
}

// Choice is the outcome for an item.
type Choice struct {
	Form   int             // index into Item.Forms; -1 = not taken
	Reason item.DropReason // when not taken: item.OverBudget or item.Redundant
}

// Similarity returns how much of item j is in item i, 0–1, for two items of one layer, by their
// indices in the slice passed to Fill. It must be symmetric. An item's novelty is 1 − the largest
// similarity to a better one that is in.
type Similarity func(i, j int) float64

// Options are the options of Fill. The zero value packs with a decay of 0.95 and no overhead.
type Options struct {
	Decay    float64 // per further item of a group, 0–1; 0 means DefaultDecay
	Overhead int     // tokens of fixed text that belongs to no item
}

// DefaultDecay was measured on code retrieval (bench/README.md).
const DefaultDecay = 0.95

// Plan is a filled budget.
type Plan struct {
	Layers  [item.NumLayers]Allocation
	Choices []Choice // one for each item, in the items' order
	Tokens  int      // of the whole bundle: all that is used, and the overhead
	Value   float64  // Σ score × worth × decay^k × novelty of what was taken
}

// checkItems returns an *ItemError for the first item that cannot be packed.
func checkItems(items []Item) error {
	for i := range items {
		it := &items[i]
		switch {
		case !it.Layer.Valid():
			return &ItemError{i, "layer"}
		case len(it.Forms) == 0:
			return &ItemError{i, "forms"}
		case !finite(it.Score):
			return &ItemError{i, "score"}
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
