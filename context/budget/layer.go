// Package budget decides how many tokens of a bundle each layer gets and which
// items fill them. Fill does so in four phases:
//
//  1. Formulas set what each layer wants: its min, ideal and max, see Formulas.
//  2. The fixed layers get theirs: the prompt, identity and preferences.
//  3. The elastic layers share the rest, by priority and elasticity.
//  4. Each layer is packed with items; what stays unused is offered again.
//
// The package is pure: no I/O, no clock, no randomness, no shared state. Equal input yields equal
// output, and every function may be called concurrently.
package budget

import "github.com/contexture-dev/contexture/context/item"

// elastic lists the layers that share what the fixed ones leave, in the order in which phase 3
// visits them; its second pass depends on that order.
var elastic = [...]item.Layer{item.L2Topic, item.L3Entity, item.L4Conversation, item.L5JIT, item.L6History}

// Depth is how much background the person wants; the zero value is Standard.
type Depth int

// The depths of the contract's knowledgeDepth.
const (
	Standard Depth = iota
	Minimal
	Deep
)

var depthNames = [...]string{Standard: "standard", Minimal: "minimal", Deep: "deep"}

// String returns the contract's name of the depth.
func (d Depth) String() string {
	if d < 0 || int(d) >= len(depthNames) {
		return "unknown depth"
	}
	return depthNames[d]
}

// ParseDepth returns the depth with the contract's name s.
func ParseDepth(s string) (Depth, bool) {
	for i, name := range depthNames {
		if name == s {
			return Depth(i), true
		}
	}
	return 0, false
}

// multiplier returns the factor by which a depth changes the ideals of layers.
func (d Depth) multiplier() float64 {
	switch d {
	case Minimal:
		return minimalFactor
	case Deep:
		return deepFactor
	default:
		return 1.0
	}
}
