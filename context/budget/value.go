package budget

import "github.com/contexture-dev/contexture/context/item"

// packer holds the items of one layer while they are packed. Positions p index the layer's items;
// form[p] is the chosen form or out. The value of a choice is Σ value × worth.
type packer struct {
	items []*item.Item
	idx   []int         // position → index into items
	forms [][]formValue // position → its forms
	form  []int
	used  int    // tokens of what is chosen
	fixed []bool // required and placed: never moved again
}

const out = -1

// formValue is a form's cost and its value.
type formValue struct {
	tokens int
	value  float64
}

func newPacker(items []*item.Item, idx []int) *packer {
	n := len(idx)
	k := &packer{items: items, idx: idx, forms: make([][]formValue, n), form: make([]int, n), fixed: make([]bool, n)}
	all := make([]formValue, 0, 2*n)
	for p, i := range idx {
		k.form[p] = out
		start := len(all)
		for _, f := range items[i].Forms {
			all = append(all, formValue{f.Tokens, items[i].Value * f.Worth})
		}
		k.forms[p] = all[start:len(all):len(all)]
	}
	return k
}

func (k *packer) item(p int) *item.Item { return k.items[k.idx[p]] }

// value returns what a form of an item is worth.
func (k *packer) value(p, form int) float64 {
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

// gain returns how the value changes when p moves to the form.
func (k *packer) gain(p, form int) float64 { return k.value(p, form) - k.value(p, k.form[p]) }

// put sets p to the form, or takes it out.
func (k *packer) put(p, form int) {
	k.used += k.tokens(p, form) - k.tokens(p, k.form[p])
	k.form[p] = form
}

// total returns the value of the choice.
func (k *packer) total() float64 {
	sum := 0.0
	for p, form := range k.form {
		sum += k.value(p, form)
	}
	return sum
}
