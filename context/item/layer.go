package item

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

// String returns the contract's name of the layer.
func (l Layer) String() string {
	if !l.Valid() {
		return "unknown layer"
	}
	return layerNames[l]
}

// Valid reports whether l is one of the eight layers.
func (l Layer) Valid() bool { return l >= 0 && l < NumLayers }

// ParseLayer returns the layer with the contract's name s.
func ParseLayer(s string) (Layer, bool) {
	for i, name := range layerNames {
		if name == s {
			return Layer(i), true
		}
	}
	return 0, false
}
