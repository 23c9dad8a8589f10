package budget

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// Params are what a layer asks for, in tokens. Priority is 0–100 and decides conflicts; Elasticity
// is 0–1, how willing the layer is to shrink to its Min.
type Params struct {
	Min, Ideal, Max, Priority int
	Elasticity                float64
}

// Input is the situation in which one bundle is built. All sizes are tokens of the bundle's
// encoding.
type Input struct {
	Total              int // the budget
	MessageCount       int // messages in the conversation
	ConversationTokens int // raw tokens of all of them
	PromptTokens       int // the user's message as it will be in the bundle
	Topics, Entities   int // detected in prompt and situation
	HasConversation    bool
	Depth              Depth
	PrioritizeHistory  bool
	TopicBundleTokens  int // topic text that exists already: what it covers, L5 need not fetch
	HistorySpare       int // left over by an earlier negotiation: what L6 may have besides

	// Learned holds the factors, learned from use, by which the layers' ideals are multiplied; 0
	// leaves an ideal as it is, and a factor beyond LearnedMost counts as that. It does not change
	// a caller's own ideal.
	Learned [item.NumLayers]float64

	// Supply is the most that each layer could use, wrappers included; 0 means that the layer has
	// nothing to show. L7's is always PromptTokens.
	Supply [item.NumLayers]int
	// Overrides are the caller's own figures. L7's sizes are ignored, since the prompt is never
	// cut.
	Overrides map[item.Layer]Override
}

// LearnedMost bounds how far from 1 a factor learned from use may be.
const LearnedMost = .4

// The factors by which a depth changes the ideals of layers.
const minimalFactor, deepFactor = .5, 1.5

// Formulas returns the layers' parameters by the formulas alone (phase 1), before any override,
// supply or raise.
func Formulas(in Input) [item.NumLayers]Params {
	in = in.clamped()
	b := float64(in.Total)
	pressure := math.Min(1, ratio(in.ConversationTokens, b*0.7))
	knowledgeHeavy := in.Topics >= 2 || in.Depth == Deep
	dialogueHeavy := in.MessageCount > 20 && in.PrioritizeHistory

	return [item.NumLayers]Params{
		item.L0Identity:     {Min: 150, Ideal: min(400, floor(b*0.02)), Max: 500, Priority: 100},
		item.L1Preferences:  {Min: 100, Ideal: min(600, floor(b*0.03)), Max: 800, Priority: 95, Elasticity: 0.1},
		item.L2Topic:        topicParams(in, b, pressure, knowledgeHeavy),
		item.L3Entity:       entityParams(in, b),
		item.L4Conversation: arcParams(in, b),
		item.L5JIT:          jitParams(in, b),
		item.L6History:      historyParams(in, b, dialogueHeavy),
		item.L7Message:      {Min: in.PromptTokens, Ideal: in.PromptTokens, Max: in.PromptTokens, Priority: 100},
	}
}

// topicParams, like the formulas after it, puts float64(x*y) around a product, which keeps the
// compiler from fusing it with the sum: the floors must not depend on the processor.
func topicParams(in Input, b, pressure float64, knowledgeHeavy bool) Params {
	factor := math.Min(2, 1+float64(float64(in.Topics-1)*0.3))
	adjusted := b * 0.12 * in.Depth.multiplier() * factor
	pressured := adjusted * (1 - float64(pressure*0.4))
	return Params{
		Min:        onlyIf(in.Topics > 0, 300),
		Ideal:      floor(math.Max(0, pressured)),
		Max:        floor(b * 0.25),
		Priority:   either(knowledgeHeavy, 85, 70),
		Elasticity: 0.6,
	}
}

func entityParams(in Input, b float64) Params {
	const perEntityCap = 400
	factor := math.Min(2, 1+float64(float64(in.Entities-1)*0.4))
	capped := math.Min(b*0.06*factor, float64(in.Entities)*perEntityCap)
	return Params{
		Min:        onlyIf(in.Entities > 0, 150),
		Ideal:      floor(math.Max(0, capped)),
		Max:        floor(b * 0.12),
		Priority:   65,
		Elasticity: 0.7,
	}
}

func arcParams(in Input, b float64) Params {
	scale := math.Log2(float64(max(1, in.MessageCount)) + 1)
	return Params{
		Min:        onlyIf(in.HasConversation, 200),
		Ideal:      min(floor(150*scale*in.Depth.multiplier()), floor(b*0.15)),
		Max:        floor(b * 0.20),
		Priority:   either(in.HasConversation, 88, 30),
		Elasticity: 0.3,
	}
}

func jitParams(in Input, b float64) Params {
	coverage := 1 - math.Min(1, ratio(in.TopicBundleTokens, b*0.15))
	return Params{
		Min:        200,
		Ideal:      floor(b * 0.10 * math.Max(0.3, coverage) * in.Depth.multiplier()),
		Max:        floor(b * 0.18),
		Priority:   75,
		Elasticity: 0.5,
	}
}

func historyParams(in Input, b float64, dialogueHeavy bool) Params {
	return Params{
		Min:        onlyIf(in.HasConversation, 500),
		Ideal:      min(floor(historyShare(in, b, dialogueHeavy)), in.ConversationTokens),
		Max:        floor(b * 0.60),
		Priority:   either(dialogueHeavy, 90, 80),
		Elasticity: 0.4,
	}
}

// historyShare returns the history's ideal by the formulas, as if the conversation were long enough
// to use it.
func historyShare(in Input, b float64, dialogueHeavy bool) float64 {
	ideal := b * 0.25
	switch tokens := in.ConversationTokens; {
	case tokens <= 3000:
		ideal = math.Min(b, float64(tokens)) // exact: one token less would not hold the conversation verbatim
	case tokens <= 10000:
		ideal = b * 0.35
	case tokens <= 50000:
		ideal = b * 0.30
	}
	if in.PrioritizeHistory {
		ideal *= 1.3
	}
	if dialogueHeavy {
		ideal *= 1.2
	}
	return ideal
}

// HistoryRoom returns the ideal of L6 without its bound by the conversation's own tokens, and at
// most its max: as the conversation grows, it changes only where the share does.
func HistoryRoom(in Input) int {
	in = in.clamped()
	b := float64(in.Total)
	return min(floor(historyShare(in, b, in.MessageCount > 20 && in.PrioritizeHistory)), floor(b*0.60))
}

// clamped returns in with every negative count replaced by zero.
func (in Input) clamped() Input {
	for _, n := range []*int{
		&in.Total, &in.MessageCount, &in.ConversationTokens, &in.PromptTokens,
		&in.Topics, &in.Entities, &in.TopicBundleTokens, &in.HistorySpare,
	} {
		*n = max(0, *n)
	}
	for l := range in.Supply {
		in.Supply[l] = max(0, in.Supply[l])
	}
	return in
}

// ratio returns n/d, and 0 for no tokens of an empty budget.
func ratio(n int, d float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) / d
}

func floor(x float64) int { return int(math.Floor(x)) }

func onlyIf(cond bool, n int) int { return either(cond, n, 0) }

func either(cond bool, yes, no int) int {
	if cond {
		return yes
	}
	return no
}
