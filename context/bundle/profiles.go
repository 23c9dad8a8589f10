package bundle

import (
	"context"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/item"
)

// profileItems makes the items of what memory knows of the topics and entities that the prompt
// names, compiled to the size that their layers would get in the negotiation.
func (b *build) profileItems(ctx context.Context) (out []*item.Item) {
	topics, entities, err := b.src.Past.Profiles(ctx, func(topics, entities int) (int, int) {
		in := b.input()
		in.Topics, in.Entities = in.Topics+topics, in.Entities+entities
		params := budget.Formulas(in)
		return b.profileRoom(item.L2Topic, params), b.profileRoom(item.L3Entity, params)
	})
	b.recalled(nil, err)
	for _, list := range []struct {
		layer item.Layer
		items []item.Item
	}{{item.L2Topic, topics}, {item.L3Entity, entities}} {
		for _, m := range b.boostMemos(b.withoutDropped(b.wanted(list.items))) {
			out = append(out, b.remembered(list.layer, m, false))
		}
	}
	return out
}

// profileRoom returns the tokens that the profiles of a layer may take.
func (b *build) profileRoom(l item.Layer, params [item.NumLayers]budget.Params) int {
	room := params[l].Ideal
	if o, ok := b.req.Overrides[l]; ok {
		room = override(room, o)
	}
	return room
}

// isProfile reports whether an item quotes what is known of a topic or an entity.
func isProfile(it *item.Item) bool {
	return (it.Layer == item.L2Topic || it.Layer == item.L3Entity) && len(it.Says) > 0
}
