package budget

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/context/item"
)

// Allocation is what one layer asked for, was allocated and used, in tokens.
//
// Params are the final figures: Min ≤ Ideal ≤ Max, and Min is at most what the layer has to show (0
// when it has nothing); Max and Ideal of L5, L2, L3 and L4 include what the other layers left,
// those of L6 the spare of the input. Used ≤ Allocated ≤ Max, and Allocated is 0 or at least Min.
type Allocation struct {
	Layer item.Layer
	Params
	Allocated, Used int
}

// table is a negotiation in progress.
type table struct {
	rows     [item.NumLayers]Allocation
	supply   [item.NumLayers]int
	override [item.NumLayers]Override
	out      [item.NumLayers]bool // dropped completely: the min did not fit
	capacity int                  // tokens for all layers together
	raised   bool                 // some layer got what others cannot use
}

// negotiate shares the tokens among the layers: it sets their parameters, then the fixed layers,
// then the elastic ones. Used stays 0. required is the minimum that each layer needs to show its
// required items; the fixed layers ask for it even above their ideal.
//
// Errors: *PromptExceedsError when the prompt alone does not fit, *OverrideError when the caller's
// figures contradict each other.
func negotiate(in Input, required [item.NumLayers]int) (table, error) {
	in = in.clamped()
	t, err := newTable(in)
	if err != nil {
		return table{}, err
	}
	if in.PromptTokens > in.Total {
		return table{}, &PromptExceedsError{Needed: in.PromptTokens}
	}
	t.capacity = in.Total
	t.allocateFixed(required)
	t.allocateElastic()
	return t, nil
}

// newTable is phase 1: it applies the formulas and the caller's overrides, and bounds both by what
// each layer has to show.
func newTable(in Input) (table, error) {
	t := table{supply: in.Supply}
	t.supply[item.L7Message] = in.PromptTokens
	for l := range in.Overrides {
		if !l.Valid() {
			return t, &OverrideError{l, "layer"}
		}
	}
	formulas := Formulas(in)
	for l := item.L0Identity; l <= item.L7Message; l++ {
		o := in.Overrides[l]
		if err := o.check(l); err != nil {
			return t, err
		}
		p := formulas[l]
		if l == item.L6History {
			p.Ideal, p.Max = min(p.Ideal+in.HistorySpare, in.Total), min(p.Max+in.HistorySpare, in.Total)
		}
		p.Ideal = learnedIdeal(p.Ideal, in.Learned[l])
		p = o.apply(p)
		if l == item.L7Message {
			p.Min, p.Ideal, p.Max = in.PromptTokens, in.PromptTokens, in.PromptTokens
		}
		// A layer asks for no more than it has. Under 1,100 tokens the formulas' floors are above
		// their own ceilings; there the ceiling wins. Where a floor is above an ideal, a layer
		// worth showing at all gets the floor.
		p.Min = min(p.Min, p.Max, t.supply[l])
		p.Ideal = min(max(p.Ideal, p.Min), p.Max)
		t.rows[l] = Allocation{Layer: l, Params: p}
		t.override[l] = o
	}
	return t, nil
}

// ceiling returns the most that the layer can use.
func (t *table) ceiling(l item.Layer) int { return min(t.rows[l].Max, t.supply[l]) }

// free returns the tokens that no layer holds.
func (t *table) free() int {
	left := t.capacity
	for l := range t.rows {
		left -= t.rows[l].Allocated
	}
	return left
}

// allocateFixed is phase 2. The prompt is never cut: preferences, then identity, make room for it.
func (t *table) allocateFixed(required [item.NumLayers]int) {
	t.rows[item.L7Message].Allocated = t.rows[item.L7Message].Max
	for _, l := range []item.Layer{item.L0Identity, item.L1Preferences} {
		r := &t.rows[l]
		r.Allocated = min(max(r.Ideal, r.Min, required[l]), t.ceiling(l))
	}
	if deficit := -t.free(); deficit > 0 {
		t.cut([]item.Layer{item.L0Identity, item.L1Preferences}, deficit)
	}
}

// allocateElastic is phase 3: minimum, ideal weighted by priority, leftovers by priority. The
// second pass reduces the remaining weights as it goes.
func (t *table) allocateElastic() {
	for _, l := range elastic {
		t.rows[l].Allocated = t.rows[l].Min
	}
	if deficit := -t.free(); deficit > 0 {
		t.cut(elastic[:], deficit)
	}
	t.raise()

	var missing [item.NumLayers]int
	total := 0
	for _, l := range elastic {
		if !t.out[l] {
			missing[l] = max(0, min(t.rows[l].Ideal, t.supply[l])-t.rows[l].Min)
			total += missing[l]
		}
	}
	free := t.free()
	for _, l := range elastic {
		if missing[l] == 0 {
			continue
		}
		r := &t.rows[l]
		weight := float64(missing[l]) / float64(total) * (float64(r.Priority) / 100)
		more := min(floor(float64(free)*weight), t.ceiling(l)-r.Allocated, missing[l])
		r.Allocated += more
		free -= more
	}
	for _, l := range t.byPriority(elastic[:]) {
		if r := &t.rows[l]; !t.out[l] {
			more := min(free, t.ceiling(l)-r.Allocated)
			r.Allocated += more
			free -= more
		}
	}
}

// raise hands out the room that would stay empty. Identity and preferences come first, up to their
// max: that exceeds no ceiling, and if they depended on what packing happens to leave, a larger
// budget could show less of them. Then L5, L2, L3 and L4 in turn, as far as they could fill it:
// their max and ideal grow.
func (t *table) raise() {
	excess := t.capacity
	for _, r := range t.rows {
		excess -= r.Allocated
	}
	for _, l := range elastic {
		if !t.out[l] {
			excess -= t.ceiling(l) - t.rows[l].Allocated
		}
	}
	for _, l := range []item.Layer{item.L0Identity, item.L1Preferences} {
		if more := min(excess, t.ceiling(l)-t.rows[l].Allocated); more > 0 && !t.out[l] {
			t.rows[l].Allocated += more
			excess -= more
		}
	}
	for _, l := range raisable {
		if excess > 0 && !t.out[l] {
			excess -= t.raiseLayer(l, excess)
		}
	}
}

// raisable lists the layers that get what others cannot use, in that order. L4 holds pinned items
// and notes besides the arc, which has its own bound.
var raisable = [...]item.Layer{item.L5JIT, item.L2Topic, item.L3Entity, item.L4Conversation}

// raiseLayer raises the layer's max by at most tokens, as far as it has something to show and the
// caller has not set the max, and returns by how much.
func (t *table) raiseLayer(l item.Layer, tokens int) int {
	r, o := &t.rows[l], t.override[l]
	by := min(tokens, t.supply[l]-r.Max)
	if by <= 0 || o.Max != nil {
		return 0
	}
	r.Max += by
	if o.Ideal == nil {
		r.Ideal += by
	}
	t.raised = true
	return by
}

// cut takes deficit tokens from the layers: first down to each one's min, shared by elasticity,
// then whole layers, lowest priority first. Afterwards no layer is between 0 and its min.
func (t *table) cut(layers []item.Layer, deficit int) {
	deficit = t.shrink(layers, deficit)
	order := t.byPriority(layers)
	slices.Reverse(order)
	for _, l := range order {
		r := &t.rows[l]
		switch {
		case deficit <= 0:
			return
		case r.Allocated == 0:
		case r.Allocated-r.Min >= deficit: // the layer is rigid, but this saves it
			r.Allocated -= deficit
			return
		default:
			deficit -= r.Allocated
			r.Allocated, t.out[l] = 0, true
		}
	}
}

// shrink takes up to deficit tokens from what the layers hold above their min, in proportion to
// that room times elasticity, and returns what is still missing.
func (t *table) shrink(layers []item.Layer, deficit int) int {
	for deficit > 0 {
		total := 0.0
		for _, l := range layers {
			total += t.rows[l].Elasticity * float64(t.rows[l].Allocated-t.rows[l].Min)
		}
		if total <= 0 {
			break
		}
		goal := deficit
		for _, l := range layers {
			r := &t.rows[l]
			room := r.Allocated - r.Min
			share := float64(goal) * (r.Elasticity * float64(room) / total)
			less := min(floor(share)+onlyIf(r.Elasticity > 0, 1), room, deficit)
			r.Allocated -= less
			deficit -= less
		}
	}
	return deficit
}

// byPriority returns the layers from the highest priority to the lowest, equal ones in the order of
// the bundle.
func (t *table) byPriority(layers []item.Layer) []item.Layer {
	sorted := slices.Clone(layers)
	slices.SortStableFunc(sorted, func(a, b item.Layer) int {
		return cmp.Compare(t.rows[b].Priority, t.rows[a].Priority)
	})
	return sorted
}
