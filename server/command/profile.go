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
	// HistoryWeek is the beginning of the last week of the entities' histories, a Monday in UTC:
	// the week of the latest message that the learning has read. Absent where no history is known.
	HistoryWeek *Time `json:"historyWeek,omitempty"`
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
	// History is how many turns spoke of it in each of twelve weeks, the oldest first, up to the
	// week of the latest message that the learning has read; empty until it has run in this
	// version.
	History []int `json:"history"`
	// Pinned by a person.
	Pinned bool `json:"pinned,omitempty"`
}

// GraphArgs asks what goes together.
type GraphArgs struct {
	Scope
	// Limit of nodes.
	Limit int `json:"limit,omitempty" check:"default=100,min=1,max=200"`
}

// GraphResult is what conversations speak of and what comes up together.
type GraphResult struct {
	// Nodes, heaviest first.
	Nodes []GraphNode `json:"nodes"`
	// Edges between them, heaviest first, at most eight times as many as nodes.
	Edges []GraphEdge `json:"edges"`
	// Left is how many nodes there are besides.
	Left int `json:"left"`
}

// GraphNode is a topic, an entity, or a file that goes with one of them.
type GraphNode struct {
	// ID of the topic or the entity, or `file:` and the path of a file below the root.
	ID string `json:"id"`
	// Kind is `topic`, `file`, or the entity's.
	Kind string `json:"kind" check:"enum=topic|file|person|service|table|ticket|project|flag|host|name"`
	// Label of the topic or the entity, or the file's path.
	Label string `json:"label"`
	// Weight from 0 to 1 among topics, among entities, or among files.
	Weight float64 `json:"weight"`
	// Trend of the weight; absent for files.
	Trend string `json:"trend,omitempty" check:"enum=rising|steady|falling"`
	// TurnCount is how many turns speak of it; of a file at most 1,000 are counted.
	TurnCount int `json:"turnCount"`
}

// GraphEdge joins two nodes.
type GraphEdge struct {
	// From is the id of the heavier node.
	From string `json:"from"`
	// To is the id of the other one.
	To string `json:"to"`
	// Weight is in how many turns both come up; of topics and entities the latest 200 turns count.
	Weight int `json:"weight"`
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
	// Part says what it tells: what the subject is, a decision, a rule, an open question, or what
	// happened.
	Part string `json:"part" check:"enum=what|decision|rule|question|event"`
	// Quotation with its source.
	Quotation Quotation `json:"quotation"`
}

// SteerArgs changes a topic or an entity, for all later runs as well.
type SteerArgs struct {
	Scope
	// ID of the topic or the entity.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
	// Act to do: give it another label, make it a part of another, list it first, no longer, or
	// never find it again.
	Act string `json:"act" check:"required,enum=rename|merge|pin|unpin|forget"`
	// Label to rename it to.
	Label string `json:"label,omitempty" check:"chars=1..100"`
	// Into is the id of the one to merge it into, of the same kind.
	Into string `json:"into,omitempty" check:"chars=1..200,format=id"`
}

// SteerResult tells what there is afterwards.
type SteerResult struct {
	// Profile of the subject, or of the one that it was merged into; absent for one that was
	// forgotten.
	Profile *Profile `json:"profile,omitempty"`
}

// LearningStatus tells how the offline learning stands. It is also the body of the notification
// `contexture/learning`, which comes while a run over a workspace goes on, at most twice a second,
// and once when it has ended.
type LearningStatus struct {
	// Workspace is the URI of the root, as the client spells it; in the notification only.
	Workspace string `json:"workspace,omitempty"`
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
	// Coverage of what was asked lately; absent where nothing was.
	Coverage *KnowledgeCoverage `json:"coverage,omitempty"`
	// Progress of the run that goes on; absent while none does.
	Progress *LearningProgress `json:"progress,omitempty"`
	// Changes that the last run made, by name: topics, then entities, the heaviest first, then
	// items. At most 30 of each kind and act are named.
	Changes []LearningChange `json:"changes"`
	// Problem is why the last run of this process failed; absent where it did not. What was known
	// before still is.
	Problem string `json:"problem,omitempty"`
}

// MemoryChange is the body of the notification `contexture/memory`, which comes when conversations,
// rules or other knowledge of a root have changed, whoever changed them, at most four times a
// second. What has changed, it does not say.
type MemoryChange struct {
	// Workspace is the URI of the root, as the client spells it; absent in a session without a
	// root.
	Workspace string `json:"workspace,omitempty"`
	// Version grows with every change.
	Version uint64 `json:"version"`
}

// LearningProgress tells how far a run is.
type LearningProgress struct {
	// Stage that it is at, in a word, such as `reading`, `references` or `profiles`; absent before
	// the first. There may be others in later versions.
	Stage string `json:"stage,omitempty"`
	// Share of the whole run that is done. It falls only where the run begins anew, since what it
	// read has changed.
	Share float64 `json:"share" check:"min=0,max=1"`
	// Done pieces of the stage.
	Done int `json:"done,omitempty"`
	// Total pieces of the stage; absent where that is not known.
	Total int `json:"total,omitempty"`
	// Reason why it runs.
	Reason string `json:"reason"`
	// MS since it began, in milliseconds.
	MS float64 `json:"ms"`
	// Waits says what it waits for just now; absent where it works.
	Waits string `json:"waits,omitempty"`
}

// LearningChange is a topic, an entity, or an item of knowledge that a run found, changed, or found
// no more.
type LearningChange struct {
	// Act of the run. What is gone is named until something is forgotten.
	Act string `json:"act" check:"enum=new|changed|gone"`
	// Kind is `topic`, `entity`, or that of the item.
	Kind string `json:"kind"`
	// ID of what is new or changed; of what is gone the id of what it has become a part of, absent
	// for none.
	ID string `json:"id,omitempty"`
	// Label or title.
	Label string `json:"label"`
}

// KnowledgeCoverage says how much of what people ask about the knowledge answers, as the last run
// measured it.
type KnowledgeCoverage struct {
	// Questions that people asked lately, at most one hundred.
	Questions int `json:"questions"`
	// Answered are those of them that a reference, a lesson, a rule or a document speaks of.
	Answered int `json:"answered"`
	// Topics that conversations are about, at most one hundred.
	Topics int `json:"topics"`
	// Covered are those of them that a reference, a lesson or a rule names.
	Covered int `json:"covered"`
}
