package budget

import (
	"errors"
	"math"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

const plenty = 1 << 30

var fullSupply = [item.NumLayers]int{plenty, plenty, plenty, plenty, plenty, plenty, plenty, plenty}

// figures are the min, ideal, max, priority and allocated tokens of one layer.
type figures [5]int

// negotiated returns the allocation of each layer when nothing but the layers takes room.
func negotiated(in Input) ([item.NumLayers]Allocation, error) {
	table, err := negotiate(in, [item.NumLayers]int{})
	return table.rows, err
}

func check(t *testing.T, in Input, want [item.NumLayers]figures) {
	t.Helper()
	rows, err := negotiated(in)
	if err != nil {
		t.Fatal(err)
	}
	for l, r := range rows {
		got := figures{r.Min, r.Ideal, r.Max, r.Priority, r.Allocated}
		if r.Layer != item.Layer(l) || got != want[l] {
			t.Errorf("%v: min, ideal, max, priority, allocated = %v, want %v", r.Layer, got, want[l])
		}
	}
}

// The figures of 001's own algorithm, from its pseudo-code step by step. The
// first case in full: L4 wants 150·log2(41) = 803, L6 35 % of 12,000 = 4,200; the
// conversation presses with 8000/8400, so L2 wants 1440·(1−.381) = 891; one entity
// wants at most 400. L0, L1 and L7 take 700 of 12,000, the minimums 1,350 more;
// 9,950 are left. Missing up to the ideals: 591, 250, 603, 1000, 3700, together
// 6,144. In turn L2 may have 9950·591/6144·.70 = 669 and takes 591; L3
// 9359·250/6144·.65 = 247; L4 787, takes 603; L5 1,038, takes 1,000; L6
// 7509·3700/6144·.80 = 3,617. Of the 3,892 left L4 (88) takes 1,597 up to its max
// and L6 (80) the other 2,295.
func TestNegotiateFigures(t *testing.T) {
	tests := []struct {
		name string
		in   Input
		want [item.NumLayers]figures
	}{
		{"12000, conversation, standard", Input{Total: 12000, MessageCount: 40, ConversationTokens: 8000, PromptTokens: 100, Topics: 1, Entities: 1,
			HasConversation: true, Depth: Standard, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 891, 3000, 70, 891}, {150, 400, 1440, 65, 397},
			{200, 803, 2400, 88, 2400}, {200, 1200, 2160, 75, 1200}, {500, 4200, 7200, 80, 6412}, {100, 100, 100, 100, 100},
		}},
		{"12000, none, standard", Input{Total: 12000, MessageCount: 0, ConversationTokens: 0, PromptTokens: 100, Topics: 2, Entities: 3,
			HasConversation: false, Depth: Standard, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 1872, 3000, 85, 3000}, {150, 1200, 1440, 65, 1200},
			{0, 150, 2400, 30, 95}, {200, 1200, 2160, 75, 1200}, {0, 0, 7200, 80, 5805}, {100, 100, 100, 100, 100},
		}},
		{"12000, conversation, minimal", Input{Total: 12000, MessageCount: 40, ConversationTokens: 8000, PromptTokens: 100, Topics: 1, Entities: 1,
			HasConversation: true, Depth: Minimal, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 445, 3000, 70, 445}, {150, 400, 1440, 65, 400},
			{200, 401, 2400, 88, 2400}, {200, 600, 2160, 75, 855}, {500, 4200, 7200, 80, 7200}, {100, 100, 100, 100, 100},
		}},
		{"12000, none, minimal", Input{Total: 12000, MessageCount: 0, ConversationTokens: 0, PromptTokens: 100, Topics: 2, Entities: 3,
			HasConversation: false, Depth: Minimal, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 936, 3000, 85, 3000}, {150, 1200, 1440, 65, 1200},
			{0, 75, 2400, 30, 75}, {200, 600, 2160, 75, 600}, {0, 0, 7200, 80, 6425}, {100, 100, 100, 100, 100},
		}},
		{"12000, conversation, deep", Input{Total: 12000, MessageCount: 40, ConversationTokens: 8000, PromptTokens: 100, Topics: 1, Entities: 1,
			HasConversation: true, Depth: Deep, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 1337, 3000, 85, 3000}, {150, 400, 1440, 65, 340},
			{200, 1205, 2400, 88, 2400}, {200, 1800, 2160, 75, 1419}, {500, 4200, 7200, 80, 4141}, {100, 100, 100, 100, 100},
		}},
		{"12000, none, deep", Input{Total: 12000, MessageCount: 0, ConversationTokens: 0, PromptTokens: 100, Topics: 2, Entities: 3,
			HasConversation: false, Depth: Deep, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 2808, 3000, 85, 3000}, {150, 1200, 1440, 65, 1182},
			{0, 225, 2400, 30, 89}, {200, 1800, 2160, 75, 1765}, {0, 0, 7200, 80, 5264}, {100, 100, 100, 100, 100},
		}},
		{"100000, conversation, standard", Input{Total: 100000, MessageCount: 40, ConversationTokens: 60000, PromptTokens: 100, Topics: 1, Entities: 1,
			HasConversation: true, Depth: Standard, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 400, 500, 100, 400}, {100, 600, 800, 95, 600}, {300, 7885, 25000, 70, 7885}, {150, 400, 12000, 65, 400},
			{200, 803, 20000, 88, 20000}, {200, 10000, 18000, 75, 10615}, {500, 25000, 60000, 80, 60000}, {100, 100, 100, 100, 100},
		}},
		{"100000, none, standard", Input{Total: 100000, MessageCount: 0, ConversationTokens: 0, PromptTokens: 100, Topics: 2, Entities: 3,
			HasConversation: false, Depth: Standard, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 400, 500, 100, 400}, {100, 600, 800, 95, 600}, {300, 15600, 25000, 85, 25000}, {150, 1200, 12000, 65, 1200},
			{0, 150, 20000, 30, 140}, {200, 10000, 18000, 75, 12560}, {0, 0, 60000, 80, 60000}, {100, 100, 100, 100, 100},
		}},
		{"100000, conversation, minimal", Input{Total: 100000, MessageCount: 40, ConversationTokens: 60000, PromptTokens: 100, Topics: 1, Entities: 1,
			HasConversation: true, Depth: Minimal, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 400, 500, 100, 400}, {100, 600, 800, 95, 600}, {300, 3942, 25000, 70, 3942}, {150, 400, 12000, 65, 400},
			{200, 401, 20000, 88, 20000}, {200, 5000, 18000, 75, 14558}, {500, 25000, 60000, 80, 60000}, {100, 100, 100, 100, 100},
		}},
		{"100000, none, minimal", Input{Total: 100000, MessageCount: 0, ConversationTokens: 0, PromptTokens: 100, Topics: 2, Entities: 3,
			HasConversation: false, Depth: Minimal, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 400, 500, 100, 400}, {100, 600, 800, 95, 600}, {300, 7800, 25000, 85, 25000}, {150, 1200, 12000, 65, 1200},
			{0, 75, 20000, 30, 75}, {200, 5000, 18000, 75, 12625}, {0, 0, 60000, 80, 60000}, {100, 100, 100, 100, 100},
		}},
		{"100000, conversation, deep", Input{Total: 100000, MessageCount: 40, ConversationTokens: 60000, PromptTokens: 100, Topics: 1, Entities: 1,
			HasConversation: true, Depth: Deep, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 400, 500, 100, 400}, {100, 600, 800, 95, 600}, {300, 11828, 25000, 85, 25000}, {150, 400, 12000, 65, 400},
			{200, 1205, 20000, 88, 20000}, {200, 15000, 18000, 75, 15000}, {500, 25000, 60000, 80, 38500}, {100, 100, 100, 100, 100},
		}},
		{"100000, none, deep", Input{Total: 100000, MessageCount: 0, ConversationTokens: 0, PromptTokens: 100, Topics: 2, Entities: 3,
			HasConversation: false, Depth: Deep, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 400, 500, 100, 400}, {100, 600, 800, 95, 600}, {300, 23400, 25000, 85, 25000}, {150, 1200, 12000, 65, 1200},
			{0, 225, 20000, 30, 127}, {200, 15000, 18000, 75, 15000}, {0, 0, 60000, 80, 57573}, {100, 100, 100, 100, 100},
		}},
		{"history first, many topics, deep", Input{Total: 12000, MessageCount: 60, ConversationTokens: 40000, PromptTokens: 1500, Topics: 6, Entities: 8,
			HasConversation: true, Depth: Deep, PrioritizeHistory: true, TopicBundleTokens: 900}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 2592, 3000, 85, 1881}, {150, 1440, 1440, 65, 704},
			{200, 1334, 2400, 88, 807}, {200, 900, 2160, 75, 489}, {500, 5616, 7200, 90, 6019}, {1500, 1500, 1500, 100, 1500},
		}},
		{"short conversation", Input{Total: 12000, MessageCount: 2, ConversationTokens: 700, PromptTokens: 50, Topics: 0, Entities: 0,
			HasConversation: true, Depth: Standard, PrioritizeHistory: false, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {0, 974, 3000, 70, 974}, {0, 0, 1440, 65, 0},
			{200, 237, 2400, 88, 2400}, {200, 1200, 2160, 75, 1200}, {500, 700, 7200, 80, 6776}, {50, 50, 50, 100, 50},
		}},
		{"history first, short conversation", Input{Total: 12000, MessageCount: 22, ConversationTokens: 2500, PromptTokens: 50, Topics: 1, Entities: 0,
			HasConversation: true, Depth: Standard, PrioritizeHistory: true, TopicBundleTokens: 0}, [item.NumLayers]figures{
			{150, 240, 500, 100, 240}, {100, 360, 800, 95, 360}, {300, 1268, 3000, 70, 1268}, {0, 0, 1440, 65, 0},
			{200, 678, 2400, 88, 1682}, {200, 1200, 2160, 75, 1200}, {500, 2500, 7200, 90, 7200}, {50, 50, 50, 100, 50},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Supply = fullSupply
			check(t, tt.in, tt.want)
		})
	}
}

// Without a conversation, the room that L4 and L6 cannot use goes to L5, then to L2 and L3.
func TestNegotiateRaises(t *testing.T) {
	none := figures{0, 150, 2400, 30, 0}
	tests := []struct {
		name       string
		l2, l3, l5 int // supply
		override   map[item.Layer]Override
		want       [3]figures // L2, L3, L5
	}{
		// Identity and preferences go to their max: 12000 − 500 − 800 − 100 =
		// 10,600. L2 and L3 can use 3,000 + 1,440, so L5 may have 6,160: 4,000
		// over its 2,160.
		{"everyone has plenty", plenty, plenty, plenty, nil, [3]figures{
			{300, 1440, 3000, 70, 3000}, {150, 400, 1440, 65, 1440}, {200, 5200, 6160, 75, 6160}}},
		{"code only", 0, 0, plenty, nil, [3]figures{
			{0, 1440, 3000, 70, 0}, {0, 400, 1440, 65, 0}, {200, 9640, 10600, 75, 10600}}},
		// L5's items take 2,500, so it is raised by 340; L2 gets the other 3,660.
		{"little code", plenty, plenty, 2500, nil, [3]figures{
			{300, 5100, 6660, 70, 6660}, {150, 400, 1440, 65, 1440}, {200, 1540, 2500, 75, 2500}}},
		// L2 stops at 3,100, L3 takes what is left: 10600 − 3100 − 2500.
		{"little code, few topics", 3100, plenty, 2500, nil, [3]figures{
			{300, 1540, 3100, 70, 3100}, {150, 3960, 5000, 65, 5000}, {200, 1540, 2500, 75, 2500}}},
		{"nobody has enough", 120, 90, 100, nil, [3]figures{
			{120, 1440, 3000, 70, 120}, {90, 400, 1440, 65, 90}, {100, 1200, 2160, 75, 100}}},
		// The caller's max is not raised, and limits the formula's ideal.
		{"caller's max", plenty, 0, plenty, map[item.Layer]Override{item.L5JIT: {Max: ptr(1000)}}, [3]figures{
			{300, 8040, 9600, 70, 9600}, {0, 400, 1440, 65, 0}, {200, 1000, 1000, 75, 1000}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Total: 12000, PromptTokens: 100, Topics: 1, Entities: 1, Overrides: tt.override}
			in.Supply = [item.NumLayers]int{item.L0Identity: plenty, item.L1Preferences: plenty, item.L2Topic: tt.l2, item.L3Entity: tt.l3, item.L5JIT: tt.l5}
			check(t, in, [item.NumLayers]figures{
				{150, 240, 500, 100, 500}, {100, 360, 800, 95, 800}, tt.want[0], tt.want[1],
				none, tt.want[2], {0, 0, 7200, 80, 0}, {100, 100, 100, 100, 100},
			})
		})
	}
}

func ptr[T any](v T) *T { return &v }

// Which layers shrink when room is short, and in which order.
func TestNegotiateConflicts(t *testing.T) {
	conversation := Input{Total: 2000, MessageCount: 40, ConversationTokens: 8000, Topics: 1, Entities: 1, HasConversation: true}
	tests := []struct {
		name     string
		total    int
		prompt   int
		override map[item.Layer]Override
		want     [item.NumLayers]int // allocated
	}{
		// L0 150 + L1 100 + L7: 1,350 are left, exactly the minimums.
		{"minimums just fit", 2000, 400, nil, [8]int{150, 100, 300, 150, 200, 200, 500, 400}},
		// One less: L3 (65) goes whole. Of its 149, L4 misses 100 and L6 200: L4
		// takes 149/3·.88 = 43, L6 106·2/3·.80 = 56, and L4 the 50 left over.
		{"lowest priority is dropped whole", 2000, 401, nil, [8]int{150, 100, 300, 0, 293, 200, 556, 401}},
		{"priority decides who goes", 2000, 401, map[item.Layer]Override{item.L3Entity: {Priority: ptr(99)}, item.L4Conversation: {Priority: ptr(1)}},
			[8]int{150, 100, 300, 190, 0, 200, 659, 401}},
		// 249 beside the prompt: preferences get nothing, identity has the rest.
		{"preferences give way first", 2000, 1751, nil, [8]int{249, 0, 0, 0, 0, 0, 0, 1751}},
		{"then identity", 2000, 1851, nil, [8]int{0, 0, 0, 0, 0, 0, 0, 1851}},
		{"only the prompt", 2000, 2000, nil, [8]int{0, 0, 0, 0, 0, 0, 0, 2000}},
		// Above 7,500 identity requests more than its min and can shrink: 110 over, preferences
		// shrink first (360 → 250), identity only after them.
		{"preferences bend by elasticity", 12000, 11510, nil, [8]int{240, 250, 0, 0, 0, 0, 0, 11510}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := conversation
			in.Total, in.PromptTokens, in.Overrides, in.Supply = tt.total, tt.prompt, tt.override, fullSupply
			rows, err := negotiated(in)
			if err != nil {
				t.Fatal(err)
			}
			var got [item.NumLayers]int
			for l, r := range rows {
				got[l] = r.Allocated
			}
			if got != tt.want {
				t.Errorf("allocated %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNegotiateOverrides(t *testing.T) {
	tests := []struct {
		name     string
		layer    item.Layer
		override Override
		field    string  // of the error
		want     figures // without one
	}{
		{name: "all five", layer: item.L2Topic, override: Override{ptr(500), ptr(600), ptr(700), ptr(99), ptr(0.0)}, want: figures{500, 600, 700, 99, 700}},
		{name: "max under the formula's min", layer: item.L5JIT, override: Override{Max: ptr(50)}, want: figures{50, 50, 50, 75, 50}},
		{name: "max of zero switches the layer off", layer: item.L5JIT, override: Override{Max: ptr(0)}, want: figures{0, 0, 0, 75, 0}},
		{name: "min over the formula's max", layer: item.L3Entity, override: Override{Min: ptr(2000)}, want: figures{2000, 2000, 2000, 65, 2000}},
		{name: "min beyond the budget", layer: item.L3Entity, override: Override{Min: ptr(20000)}, want: figures{20000, 20000, 20000, 65, 0}},
		{name: "ideal over the formula's max", layer: item.L3Entity, override: Override{Ideal: ptr(2000)}, want: figures{150, 2000, 2000, 65, 1612}},
		{name: "identity", layer: item.L0Identity, override: Override{Ideal: ptr(450)}, want: figures{150, 450, 500, 100, 450}},
		{name: "the prompt is never cut", layer: item.L7Message, override: Override{Max: ptr(5)}, want: figures{100, 100, 100, 100, 100}},
		{name: "min over max", layer: item.L5JIT, override: Override{Min: ptr(3), Max: ptr(2)}, field: "min"},
		{name: "negative min", layer: item.L5JIT, override: Override{Min: ptr(-1)}, field: "min"},
		{name: "negative ideal", layer: item.L5JIT, override: Override{Ideal: ptr(-1)}, field: "ideal"},
		{name: "negative max", layer: item.L5JIT, override: Override{Max: ptr(-1)}, field: "max"},
		{name: "priority over 100", layer: item.L5JIT, override: Override{Priority: ptr(101)}, field: "priority"},
		{name: "elasticity over 1", layer: item.L5JIT, override: Override{Elasticity: ptr(1.5)}, field: "elasticity"},
		{name: "elasticity no number", layer: item.L5JIT, override: Override{Elasticity: ptr(math.NaN())}, field: "elasticity"},
		{name: "no such layer", layer: 8, field: "layer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := negotiated(Input{
				Total: 12000, MessageCount: 40, ConversationTokens: 8000, PromptTokens: 100, Topics: 1, Entities: 1,
				HasConversation: true, Supply: fullSupply, Overrides: map[item.Layer]Override{tt.layer: tt.override},
			})
			if tt.field != "" {
				var e *OverrideError
				if !errors.As(err, &e) || e.Layer != tt.layer || e.Field != tt.field {
					t.Errorf("error %v, want field %s of %v", err, tt.field, tt.layer)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := rows[tt.layer]
			if got := (figures{r.Min, r.Ideal, r.Max, r.Priority, r.Allocated}); got != tt.want {
				t.Errorf("min, ideal, max, priority, allocated = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDepths(t *testing.T) {
	for _, d := range []Depth{Minimal, Standard, Deep} {
		if got, ok := ParseDepth(d.String()); !ok || got != d {
			t.Errorf("ParseDepth(%q) = %v, %v", d.String(), got, ok)
		}
	}
	if _, ok := ParseDepth(""); ok {
		t.Error("ParseDepth knows nothing")
	}
}

func TestNegotiateErrors(t *testing.T) {
	_, err := negotiated(Input{Total: 300, PromptTokens: 301})
	var exceeds *PromptExceedsError
	if !errors.As(err, &exceeds) || exceeds.Needed != 301 {
		t.Errorf("prompt over budget: %v", err)
	}
}
