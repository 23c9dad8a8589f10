package budget

import "github.com/contexture-dev/contexture/context/item"

// Fill runs all four phases: it negotiates with what the items could use, packs each layer for
// value under its allocation, takes back unused tokens and offers them again by priority until
// nothing changes.
//
// A layer's Supply that is 0 is computed from its items. Items of L7 are the prompt: they go in, in
// their first form, whatever they cost, and replace PromptTokens. Errors:
// *PromptExceedsError, *OverrideError, *ItemError.
func Fill(in Input, items []*item.Item) (Plan, error) {
	t, byLayer, err := settle(in, items)
	if err != nil {
		return Plan{}, err
	}
	f := filler{table: t}
	for l, idx := range byLayer {
		f.layers[l].packer = newPacker(items, idx)
	}
	f.fill()
	return f.plan(len(items), byLayer), nil
}

// Negotiate runs the phases before the packing, as Fill does, and returns what each layer would be
// allocated. What no layer is allocated is what none could use. Its errors are those of Fill.
func Negotiate(in Input, items []*item.Item) ([item.NumLayers]Allocation, error) {
	t, _, err := settle(in, items)
	return t.rows, err
}

// settle negotiates with what the items could use, and groups their indices by layer.
func settle(in Input, items []*item.Item) (t table, byLayer [item.NumLayers][]int, err error) {
	if err := checkItems(items); err != nil {
		return table{}, byLayer, err
	}
	for i := range items {
		byLayer[items[i].Layer] = append(byLayer[items[i].Layer], i)
	}
	required := survey(&in, items, byLayer)
	t, err = negotiate(in, required)
	return t, byLayer, err
}

// survey completes in with the prompt and the supply, which it computes from the items. It returns
// the minimum that the required items of each layer need.
func survey(in *Input, items []*item.Item, byLayer [item.NumLayers][]int) (required [item.NumLayers]int) {
	if len(byLayer[item.L7Message]) > 0 {
		in.PromptTokens = 0
		for _, i := range byLayer[item.L7Message] {
			in.PromptTokens += items[i].Forms[0].Tokens
		}
	}
	for l, idx := range byLayer {
		supply := 0
		for _, i := range idx {
			largest := 0
			for _, f := range items[i].Forms {
				largest = max(largest, f.Tokens)
			}
			supply += largest
			if items[i].Required {
				required[l] += shortest(items[i])
			}
		}
		if in.Supply[l] <= 0 {
			in.Supply[l] = supply
		}
	}
	return required
}

// filler is phase 4 in progress. A layer holds the tokens that it uses, or its min when it uses
// fewer but some; the rest is free.
type filler struct {
	table
	layers [item.NumLayers]struct {
		packer *packer
		value  float64
		tried  int // the capacity last packed for
	}
}

// maxOffers bounds the rounds of phase 4; a round that changes nothing ends it.
const maxOffers = 8

func (f *filler) fill() {
	prompt := &f.rows[item.L7Message]
	prompt.Used = prompt.Allocated
	for p := range f.layers[item.L7Message].packer.idx {
		f.layers[item.L7Message].packer.put(p, 0)
	}
	f.layers[item.L7Message].value = f.layers[item.L7Message].packer.total()
	order := f.byPriority(allButPrompt)
	for _, l := range order {
		f.pack(l, f.rows[l].Allocated)
	}
	for range maxOffers {
		if !f.offer(order) && !f.raiseAgain() {
			return
		}
	}
}

var allButPrompt = []item.Layer{item.L0Identity, item.L1Preferences, item.L2Topic, item.L3Entity, item.L4Conversation, item.L5JIT, item.L6History}

// pack fills the layer up to capacity and reserves for it what it uses of that. It reports whether
// the layer's value rose.
func (f *filler) pack(l item.Layer, capacity int) bool {
	s, r := &f.layers[l], &f.rows[l]
	s.tried = capacity
	old := s.value
	if r.Used == 0 {
		s.value = s.packer.pack(capacity)
	} else {
		s.value = s.packer.repack(capacity)
	}
	r.Used = s.packer.used
	if s.packer.exhausted() {
		// Nothing more to show, whatever the supply promised.
		r.Min = min(r.Min, r.Used)
	}
	r.Allocated = 0
	if r.Used > 0 {
		r.Allocated = max(r.Used, r.Min)
	}
	return s.value > old+epsilon(old)
}

// offer visits the layers once by priority: each may grow into what is free, up to its max. It
// reports whether any did.
func (f *filler) offer(order []item.Layer) bool {
	changed := false
	for _, l := range order {
		r, s := &f.rows[l], &f.layers[l]
		capacity := min(r.Max, r.Allocated+f.free())
		if capacity < r.Min || capacity <= s.tried || s.packer.exhausted() {
			continue
		}
		changed = f.pack(l, capacity) || changed
	}
	return changed
}

// raiseAgain redistributes what stayed free after packing. Where layers leave room that they cannot
// use, it goes to L5, L2, L3 and L4 as in phase 3. Where all have more to show, no item fits in the
// free tokens, and the figures of phase 3 stay.
func (f *filler) raiseAgain() bool {
	free := f.free()
	for _, l := range raisable {
		if free <= 0 {
			return false
		}
		s, r := &f.layers[l], &f.rows[l]
		if s.packer.exhausted() || r.Max > r.Allocated+free || !f.leftover() {
			continue
		}
		if f.raiseLayer(l, r.Allocated+free-r.Max) > 0 {
			return true
		}
	}
	return false
}

// leftover reports whether some elastic layer cannot use its allocation.
func (f *filler) leftover() bool {
	if f.raised {
		return true
	}
	for _, l := range elastic {
		if f.layers[l].packer.exhausted() && f.rows[l].Used < min(f.rows[l].Max, f.supply[l]) {
			return true
		}
	}
	return false
}

// exhausted reports whether everything worth taking is in, in its best form.
func (k *packer) exhausted() bool {
	for p, form := range k.form {
		if form == out {
			return false
		}
		if form > 0 && !k.fixed[p] && k.gain(p, 0) > 0 {
			return false
		}
		if form > 0 && k.fixed[p] {
			return false
		}
	}
	return true
}

func (f *filler) plan(n int, byLayer [item.NumLayers][]int) Plan {
	plan := Plan{Layers: f.rows, Forms: make([]int, n)}
	for l, idx := range byLayer {
		k := f.layers[l].packer
		for p, form := range k.form {
			plan.Forms[idx[p]] = form
		}
		plan.Tokens += f.rows[l].Used
		plan.Value += f.layers[l].value
	}
	return plan
}
