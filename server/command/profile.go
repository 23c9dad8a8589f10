package command

// EntitiesArgs asks for who and what is spoken of by name.
type EntitiesArgs struct {
	Scope
	// Kind wanted; all when absent.
	Kind string `json:"kind,omitempty" check:"enum=person|service|table|ticket|project|flag|host|name"`
}

// EntitiesResult holds entities.
type EntitiesResult struct {
	// Entities, heaviest first; pinned ones before.
	Entities []Entity `json:"entities"`
}

// Entity is who or what is spoken of by a name.
type Entity struct {
	// ID stays the same over runs of the offline learning.
	ID string `json:"id"`
	// Kind of the entity; `name` is one whose kind nothing shows.
	Kind string `json:"kind" check:"enum=person|service|table|ticket|project|flag|host|name"`
	// Name as people write it most often, or as somebody renamed it.
	Name string `json:"name"`
	// Names are other spellings of it.
	Names []string `json:"names"`
	// Weight among the entities, from 0 to 1.
	Weight float64 `json:"weight"`
	// Trend of the weight.
	Trend string `json:"trend" check:"enum=rising|steady|falling"`
	// LastEngagedAt is when it last came up.
	LastEngagedAt Time `json:"lastEngagedAt"`
	// TurnCount is how many turns speak of it.
	TurnCount int `json:"turnCount"`
	// Pinned by a person.
	Pinned bool `json:"pinned,omitempty"`
}

// ProfileArgs names a topic or an entity.
type ProfileArgs struct {
	Scope
	// ID of the topic or the entity.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
}

// ProfileResult holds a profile.
type ProfileResult struct {
	// Profile of the topic or the entity.
	Profile Profile `json:"profile"`
}

// Profile is what is known of a topic or an entity: quotations, and what goes with it.
type Profile struct {
	// ID of the topic or the entity.
	ID string `json:"id"`
	// Kind is `topic`, or the entity's.
	Kind string `json:"kind" check:"enum=topic|person|service|table|ticket|project|flag|host|name"`
	// Label in one to four words, as people write it, or as somebody renamed it.
	Label string `json:"label"`
	// Names are other spellings of an entity, or words that go with a topic.
	Names []string `json:"names"`
	// Weight among its like, from 0 to 1.
	Weight float64 `json:"weight"`
	// Trend of the weight.
	Trend string `json:"trend" check:"enum=rising|steady|falling"`
	// FirstAt is when it first came up.
	FirstAt Time `json:"firstAt"`
	// LastEngagedAt is when it last came up.
	LastEngagedAt Time `json:"lastEngagedAt"`
	// TurnCount is how many turns speak of it.
	TurnCount int `json:"turnCount"`
	// Turns that speak of it, `conversation/T-7`, oldest first, at most the latest 200.
	Turns []string `json:"turns"`
	// Files that go with it.
	Files []string `json:"files"`
	// Related are the names of entities that go with it.
	Related []string `json:"related"`
	// Statements about it.
	Statements []Statement `json:"statements"`
	// Merged are the ids of earlier topics or entities that are this one now.
	Merged []string `json:"merged"`
	// Split is the id of the one that this was a part of.
	Split string `json:"split,omitempty"`
	// Pinned by a person.
	Pinned bool `json:"pinned,omitempty"`
}

// Statement is a sentence of a message that names the subject of a profile, byte for byte.
type Statement struct {
	// Part says what it tells: what the subject is, a decision, a rule, an open question, or what happened.
	Part string `json:"part" check:"enum=what|decision|rule|question|event"`
	// Quotation with its source.
	Quotation Quotation `json:"quotation"`
}

// SteerArgs changes a topic or an entity, for all later runs as well.
type SteerArgs struct {
	Scope
	// ID of the topic or the entity.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
	// Act to do: give it another label, make it a part of another, list it first, no longer, or never find it again.
	Act string `json:"act" check:"required,enum=rename|merge|pin|unpin|forget"`
	// Label to rename it to.
	Label string `json:"label,omitempty" check:"chars=1..100"`
	// Into is the id of the one to merge it into, of the same kind.
	Into string `json:"into,omitempty" check:"chars=1..200,format=id"`
}

// SteerResult tells what there is afterwards.
type SteerResult struct {
	// Profile of the subject, or of the one that it was merged into; absent for one that was forgotten.
	Profile *Profile `json:"profile,omitempty"`
}

// LearningStatus tells how the offline learning stands.
type LearningStatus struct {
	// State is `running`, `waiting` while there is something new to learn, or `idle`.
	State string `json:"state" check:"enum=idle|waiting|running"`
	// LastRunAt is when it last ran; absent where it never has.
	LastRunAt *Time `json:"lastRunAt,omitempty"`
	// MS is how long that took, in milliseconds.
	MS float64 `json:"ms,omitempty"`
	// Reason of that run.
	Reason string `json:"reason,omitempty"`
	// Turns that it read for the first time.
	Turns int `json:"turns,omitempty"`
	// NewTopics that it found.
	NewTopics int `json:"newTopics,omitempty"`
	// GoneTopics that it found no more.
	GoneTopics int `json:"goneTopics,omitempty"`
	// NewEntities that it found.
	NewEntities int `json:"newEntities,omitempty"`
	// GoneEntities that it found no more.
	GoneEntities int `json:"goneEntities,omitempty"`
	// NewLessons that it found.
	NewLessons int `json:"newLessons,omitempty"`
	// Topics that there are.
	Topics int `json:"topics"`
	// Entities that there are.
	Entities int `json:"entities"`
	// Waits says what a run waits for; absent where none does.
	Waits string `json:"waits,omitempty"`
}
