// Package budget decides how many tokens of a bundle each layer gets and which
// items fill them (SPEC §4).
//
// Two entries: Negotiate answers with the figures alone (phases 1–3), Fill
// negotiates, packs real items and hands back what stays unused (phases 1–4).
// Pack is the packer by itself, for one layer.
//
// The package is pure: no I/O, no clock, no randomness, nothing shared. The same
// input gives the same answer, and every function may be called concurrently.
package budget

// Layer is one of the eight layers of a bundle, in the order of the contract.
type Layer int

// The layers, from the most stable to the user's own message.
const (
	L0Identity Layer = iota
	L1Preferences
	L2Topic
	L3Entity
	L4Conversation
	L5JIT
	L6History
	L7Message
)

// NumLayers is the number of layers, and the length of every per-layer array.
const NumLayers = 8

var layerNames = [NumLayers]string{
	"L0_identity", "L1_global_prefs", "L2_topic", "L3_entity",
	"L4_conversation", "L5_jit", "L6_message_history", "L7_user_message",
}

// elastic lists the layers that share what the fixed ones leave, in the order in
// which 001 visits them; its second pass depends on that order.
var elastic = [...]Layer{L2Topic, L3Entity, L4Conversation, L5JIT, L6History}

// String returns the contract's name of the layer.
func (l Layer) String() string {
	if !l.valid() {
		return "unknown layer"
	}
	return layerNames[l]
}

// ParseLayer returns the layer with the contract's name s.
func ParseLayer(s string) (Layer, bool) {
	for i, name := range layerNames {
		if name == s {
			return Layer(i), true
		}
	}
	return 0, false
}

func (l Layer) valid() bool { return l >= 0 && l < NumLayers }

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

// multiplier is 001's depthMultiplier.
func (d Depth) multiplier() float64 {
	switch d {
	case Minimal:
		return 0.5
	case Deep:
		return 1.5
	default:
		return 1.0
	}
}
