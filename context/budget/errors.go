package budget

import (
	"fmt"

	"github.com/contexture-dev/contexture/context/item"
)

// PromptExceedsError means that the user's message alone, with the fixed text around it, is larger
// than the budget. The caller reports Needed, the smallest budget in tokens that would do.
type PromptExceedsError struct {
	Needed int
}

func (e *PromptExceedsError) Error() string {
	return fmt.Sprintf("negotiate budget: the prompt alone needs %d tokens; raise the budget to at least that", e.Needed)
}

// OverrideError names an invalid figure of the caller: a min above the max, a negative size, a
// priority outside 0–100, an elasticity outside 0–1.
type OverrideError struct {
	Layer item.Layer
	Field string // min, ideal, max, priority or elasticity; "layer" when there is no such layer
}

func (e *OverrideError) Error() string {
	return fmt.Sprintf("negotiate budget: %s of layer %s contradicts its other figures or is out of range", e.Field, e.Layer)
}

// ItemError names an item that cannot be packed: its layer does not exist, it has no form, or a
// size, value or worth is negative or not finite.
type ItemError struct {
	Index int // into the items passed to Fill
	Field string
}

func (e *ItemError) Error() string {
	return fmt.Sprintf("fill budget: item %d: %s is out of range", e.Index, e.Field)
}
