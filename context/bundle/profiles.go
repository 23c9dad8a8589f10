package bundle

import (
	"github.com/contexture-dev/contexture/context/budget"
)

// addProfiles makes the drafts of what memory knows of the topics and entities that the prompt names, compiled to what
// their layers would get in the negotiation.
func (b *build) addProfiles() {
	topics, entities, err := b.src.Past.Profiles(func(topics, entities int) (int, int) {
		in := b.input()
		in.Topics, in.Entities = in.Topics+topics, in.Entities+entities
		params := budget.Formulas(in)
		return b.profileRoom(budget.L2Topic, params), b.profileRoom(budget.L3Entity, params)
	})
	b.recalled(nil, err)
	for _, list := range []struct {
		layer budget.Layer
		memos []Memo
	}{{budget.L2Topic, topics}, {budget.L3Entity, entities}} {
		for _, m := range b.boostMemos(b.withoutDropped(list.memos)) {
			b.drafts = append(b.drafts, b.memoDraft(list.layer, m, false))
		}
	}
}

// profileRoom is what the profiles of a layer may take.
func (b *build) profileRoom(l budget.Layer, params [budget.NumLayers]budget.Params) int {
	room := params[l].Ideal
	if o, ok := b.req.Overrides[l]; ok {
		room = override(room, o)
	}
	return room
}

// isProfile reports whether the draft quotes what is known of a topic or an entity.
func (d *draft) isProfile() bool {
	return (d.layer == budget.L2Topic || d.layer == budget.L3Entity) && d.place == nil && len(d.says) > 0
}
