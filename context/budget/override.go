package budget

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// Override replaces single parameters of a layer; nil keeps the formula's. The caller's figures win
// over the formulas and are not raised by what other layers leave: a Max set here is a hard
// ceiling.
type Override struct {
	Min, Ideal, Max, Priority *int
	Elasticity                *float64
}

// check returns an *OverrideError for a figure that contradicts another or is out of its range.
func (o Override) check(l item.Layer) error {
	sizes := []struct {
		field string
		value *int
	}{{"min", o.Min}, {"ideal", o.Ideal}, {"max", o.Max}}
	for _, s := range sizes {
		if s.value != nil && *s.value < 0 {
			return &OverrideError{l, s.field}
		}
	}
	if o.Priority != nil && (*o.Priority < 0 || *o.Priority > 100) {
		return &OverrideError{l, "priority"}
	}
	if e := o.Elasticity; e != nil && (math.IsNaN(*e) || *e < 0 || *e > 1) {
		return &OverrideError{l, "elasticity"}
	}
	if o.Min != nil && o.Max != nil && *o.Min > *o.Max {
		return &OverrideError{l, "min"}
	}
	return nil
}

// apply returns p with the caller's figures. Where a figure of the caller conflicts with one of the
// formulas, the caller's wins. An ideal of the caller outside the caller's own min and max is
// clamped later.
func (o Override) apply(p Params) Params {
	set(&p.Min, o.Min)
	set(&p.Ideal, o.Ideal)
	set(&p.Max, o.Max)
	set(&p.Priority, o.Priority)
	set(&p.Elasticity, o.Elasticity)
	if o.Max == nil {
		if o.Ideal != nil {
			p.Max = max(p.Max, p.Ideal)
		}
		if o.Min != nil {
			p.Max = max(p.Max, p.Min)
		}
	}
	if o.Min == nil && o.Ideal != nil {
		p.Min = min(p.Min, p.Ideal)
	}
	if o.Ideal == nil && o.Max != nil {
		p.Ideal = min(p.Ideal, p.Max)
	}
	if o.Ideal == nil && o.Min != nil {
		p.Ideal = max(p.Ideal, p.Min)
	}
	return p
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
