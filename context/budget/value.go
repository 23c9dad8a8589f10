package budget

import (
	"slices"

	"github.com/contexture-dev/contexture/context/item"
)

// packer holds the items of one layer while they are packed. Positions p index
// the layer's items; form[p] is the chosen form or out.
//
// The value of a set of chosen items, best first (value alone, then position):
//
//	Σ value × worth × decay^k
//
// where k counts the better ones of the same group. It depends on the set only,
// not on the order in which the items came in.
type packer struct {
	items []*item.Item
	idx   []int // position → index into items
	decay float64

	forms   [][]formValue // position → its forms
	form    []int
	now     []float64 // position → alone(p, form[p])
	group   []int     // position → group number; singles have one of their own
	members [][]int32 // group → chosen positions, best first
	used    int       // tokens of what is chosen
	fixed   []bool    // required and placed: never moved again
}

const out = -1

// formValue is a form's cost, and its value with nothing else in.
type formValue struct {
	tokens int
	value  float64
}

func newPacker(items []*item.Item, idx []int, decay float64) *packer {
	n := len(idx)
	k := &packer{
		items: items, idx: idx, decay: decay,
		forms: make([][]formValue, n), form: make([]int, n), now: make([]float64, n),
		group: make([]int, n), fixed: make([]bool, n),
	}
	numbers := make(map[string]int, n)
	groups := 0
	all := make([]formValue, 0, 2*n)
	for p, i := range idx {
		k.form[p] = out
		start := len(all)
		for _, f := range items[i].Forms {
			all = append(all, formValue{f.Tokens, items[i].Value * f.Worth})
		}
		k.forms[p] = all[start:len(all):len(all)]
		g, known := numbers[items[i].Group]
		if !known || items[i].Group == "" {
			g = groups
			groups++
			numbers[items[i].Group] = g
		}
		k.group[p] = g
	}
	k.members = make([][]int32, groups)
	return k
}

func (k *packer) item(p int) *item.Item { return k.items[k.idx[p]] }

// alone returns the value of the form with nothing else in.
func (k *packer) alone(p, form int) float64 {
	if form == out {
		return 0
	}
	return k.forms[p][form].value
}

func (k *packer) tokens(p, form int) int {
	if form == out {
		return 0
	}
	return k.forms[p][form].tokens
}

// better orders chosen items: higher value first, then the earlier one.
func better(va float64, a int, vb float64, b int) bool {
	return va > vb || (va == vb && a < b)
}

// groupValue returns the value of group g if p, of any group, were at the given form.
func (k *packer) groupValue(g, p, form int) float64 {
	sum, weight := 0.0, 1.0
	value := k.alone(p, form)
	pending := form != out && k.group[p] == g
	for _, m32 := range k.members[g] {
		m := int(m32)
		if m == p {
			continue
		}
		mv := k.now[m]
		if pending && better(value, p, mv, m) {
			sum += value * weight
			weight *= k.decay
			pending = false
		}
		sum += mv * weight
		weight *= k.decay
	}
	if pending {
		sum += value * weight
	}
	return sum
}

// gain returns how the value changes when p moves to the form.
func (k *packer) gain(p, form int) float64 {
	g := k.group[p]
	if len(k.members[g]) == 0 {
		return k.alone(p, form)
	}
	return k.groupValue(g, p, form) - k.groupValue(g, p, k.form[p])
}

// put sets p to the form, or takes it out.
func (k *packer) put(p, form int) {
	g := k.group[p]
	list := k.members[g]
	if k.form[p] != out {
		at := slices.Index(list, int32(p))
		list = slices.Delete(list, at, at+1)
	}
	k.used += k.tokens(p, form) - k.tokens(p, k.form[p])
	k.form[p], k.now[p] = form, k.alone(p, form)
	if form != out {
		at := 0
		for at < len(list) && !better(k.now[p], p, k.now[list[at]], int(list[at])) {
			at++
		}
		list = slices.Insert(list, at, int32(p))
	}
	k.members[g] = list
}

// total returns the value of the choice.
func (k *packer) total() float64 {
	sum := 0.0
	for g, list := range k.members {
		if len(list) > 0 {
			p := int(list[0])
			sum += k.groupValue(g, p, k.form[p])
		}
	}
	return sum
}
