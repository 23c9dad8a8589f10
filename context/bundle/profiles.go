package bundle

import (
	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/item"
)

// profileDrafts makes the drafts of what memory knows of the topics and entities that the prompt
// names, compiled to the size that their layers would get in the negotiation.
func (b *build) profileDrafts() (drafts []*draft) {
	topics, entities, err := b.src.Past.Profiles(func(topics, entities int) (int, int) {
		in := b.input()
		in.Topics, in.Entities = in.Topics+topics, in.Entities+entities
		params := budget.Formulas(in)
		return b.profileRoom(item.L2Topic, params), b.profileRoom(item.L3Entity, params)
	})
	b.recalled(nil, err)
	for _, list := range []struct {
		layer item.Layer
		memos []Memo
	}{{item.L2Topic, topics}, {item.L3Entity, entities}} {
		for _, m := range b.boostMemos(b.withoutDropped(b.wanted(list.memos))) {
			d := b.memoDraft(list.layer, m, false)
			drafts = append(drafts, &d)
		}
	}
	return drafts
}

// profileRoom returns the tokens that the profiles of a layer may take.
func (b *build) profileRoom(l item.Layer, params [item.NumLayers]budget.Params) int {
	room := params[l].Ideal
	if o, ok := b.req.Overrides[l]; ok {
		room = override(room, o)
	}
	return room
}

// isProfile reports whether the draft quotes what is known of a topic or an entity.
func (d *draft) isProfile() bool {
	return (d.layer == item.L2Topic || d.layer == item.L3Entity) && d.place == nil && len(d.says) > 0
}
