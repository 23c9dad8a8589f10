package command

// EntitiesArgs asks for the entities that conversations mention by name.
type EntitiesArgs struct {
	Scope
	// Kind wanted; all when absent.
	Kind string `json:"kind,omitempty" check:"enum=person|service|table|ticket|project|flag|host|name"`
}

// EntitiesResult holds entities.
type EntitiesResult struct {
	// Entities, pinned ones first, then by weight.
	Entities []Entity `json:"entities"`
	// HistoryWeek is the beginning of the last week of the entities' histories, a Monday in UTC:
	// the week of the latest message with a name. Absent when no history is known.
	HistoryWeek *Time `json:"historyWeek,omitempty"`
}

// Entity is a person or thing that conversations mention by name.
type Entity struct {
	// ID stays the same while the name does.
	ID string `json:"id"`
	// Kind of the entity; `name` when the kind is not evident.
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
	// TurnCount is the number of turns that mention it.
	TurnCount int `json:"turnCount"`
	// History is the number of turns that mentioned it in each of twelve weeks, the oldest first,
	// up to the week of the latest message with a name.
	History []int `json:"history"`
	// Pinned is true when a person pinned it.
	Pinned bool `json:"pinned,omitempty"`
}

// GraphArgs asks for the subjects of conversations and their connections.
type GraphArgs struct {
	Scope
	// Limit of nodes.
	Limit int `json:"limit,omitempty" check:"default=100,min=1,max=200"`
}

// GraphResult holds the subjects of conversations and what occurs together.
type GraphResult struct {
	// Nodes, heaviest first.
	Nodes []GraphNode `json:"nodes"`
	// Edges between them, heaviest first, at most eight times as many as nodes.
	Edges []GraphEdge `json:"edges"`
	// Left is the number of further nodes.
	Left int `json:"left"`
}

// GraphNode is a topic, an entity, or a file that occurs with one of them.
type GraphNode struct {
	// ID of the topic or the entity, or `file:` and the path of a file relative to the root.
	ID string `json:"id"`
	// Kind is `topic`, `file`, or the entity's.
	Kind string `json:"kind" check:"enum=topic|file|person|service|table|ticket|project|flag|host|name"`
	// Label of the topic or the entity, or the file's path.
	Label string `json:"label"`
	// Weight from 0 to 1 among topics, among entities, or among files.
	Weight float64 `json:"weight"`
	// Trend of the weight; absent for files.
	Trend string `json:"trend,omitempty" check:"enum=rising|steady|falling"`
	// TurnCount is the number of turns that mention it; for a file at most 1,000 are counted.
	TurnCount int `json:"turnCount"`
}

// GraphEdge joins two nodes.
type GraphEdge struct {
	// From is the id of the heavier node.
	From string `json:"from"`
	// To is the id of the other one.
	To string `json:"to"`
	// Weight is the number of turns with both; for topics and entities only the latest 200 turns
	// count.
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

// Profile is what is known of a topic or an entity: quotations, and what is related to it.
type Profile struct {
	// ID of the topic or the entity.
	ID string `json:"id"`
	// Kind is `topic`, or the entity's.
	Kind string `json:"kind" check:"enum=topic|person|service|table|ticket|project|flag|host|name"`
	// Label in one to four words, as people write it, or as somebody renamed it.
	Label string `json:"label"`
	// Names are its other spellings, and the names of what was merged into it.
	Names []string `json:"names"`
	// Weight among topics or among entities, from 0 to 1.
	Weight float64 `json:"weight"`
	// Trend of the weight.
	Trend string `json:"trend" check:"enum=rising|steady|falling"`
	// FirstAt is when it first came up.
	FirstAt Time `json:"firstAt"`
	// LastEngagedAt is when it last came up.
	LastEngagedAt Time `json:"lastEngagedAt"`
	// TurnCount is the number of turns that mention it.
	TurnCount int `json:"turnCount"`
	// Turns that mention it, `conversation/T-7`, oldest first, at most the latest 200.
	Turns []string `json:"turns"`
	// Files that occur with it.
	Files []string `json:"files"`
	// Related are the names of entities that occur with it.
	Related []string `json:"related"`
	// Statements about it.
	Statements []Statement `json:"statements"`
	// Merged lists the ids of the topics or entities that a person merged into this one.
	Merged []string `json:"merged"`
	// Split is absent; earlier versions told of what a subject was a part of.
	Split string `json:"split,omitempty"`
	// Pinned is true when a person pinned it.
	Pinned bool `json:"pinned,omitempty"`
}

// Statement is a sentence of a message that names the subject of a profile, byte for byte.
type Statement struct {
	// Part is what it states: how somebody introduced the subject, a decision, a rule, an open
	// question, or something else.
	Part string `json:"part" check:"enum=what|decision|rule|question|event"`
	// Quotation with its source.
	Quotation Quotation `json:"quotation"`
}

// SteerArgs changes a topic or an entity, for all later runs as well.
type SteerArgs struct {
	Scope
	// ID of the topic or the entity.
	ID string `json:"id" check:"required,chars=1..200,format=id"`
	// Act to do: give it another label, merge it into another, list it first, end that, or never
	// find it again.
	Act string `json:"act" check:"required,enum=rename|merge|pin|unpin|forget"`
	// Label to rename it to.
	Label string `json:"label,omitempty" check:"chars=1..100"`
	// Into is the id of the one to merge it into, of the same kind.
	Into string `json:"into,omitempty" check:"chars=1..200,format=id"`
}

// SteerResult is the state afterwards.
type SteerResult struct {
	// Profile of the subject, or of the one that it was merged into; absent after forgetting.
	Profile *Profile `json:"profile,omitempty"`
}

// LearningStatus is the state of the offline learning. It is also the body of the notification
// `contexture/learning`, which is sent during a run over a workspace, at most twice a second, and
// once at its end.
type LearningStatus struct {
	// Workspace is the URI of the root, as the client spells it; in the notification only.
	Workspace string `json:"workspace,omitempty"`
	// State is `running`, `waiting` while there is something new to learn, or `idle`.
	State string `json:"state" check:"enum=idle|waiting|running"`
	// LastRunAt is when it last ran; absent when it never has.
	LastRunAt *Time `json:"lastRunAt,omitempty"`
	// MS is the duration of that run in milliseconds.
	MS float64 `json:"ms,omitempty"`
	// Reason of that run.
	Reason string `json:"reason,omitempty"`
	// Turns that it read for the first time.
	Turns int `json:"turns,omitempty"`
	// NewTopics that it found.
	NewTopics int `json:"newTopics,omitempty"`
	// GoneTopics that it no longer found.
	GoneTopics int `json:"goneTopics,omitempty"`
	// NewEntities that it found.
	NewEntities int `json:"newEntities,omitempty"`
	// GoneEntities that it no longer found.
	GoneEntities int `json:"goneEntities,omitempty"`
	// NewLessons that it found.
	NewLessons int `json:"newLessons,omitempty"`
	// Topics in the knowledge.
	Topics int `json:"topics"`
	// Entities in the knowledge.
	Entities int `json:"entities"`
	// Waits is what a run waits for; absent when none does.
	Waits string `json:"waits,omitempty"`
	// Coverage of recent questions; absent when there were none.
	Coverage *KnowledgeCoverage `json:"coverage,omitempty"`
	// Progress of the current run; absent when there is none.
	Progress *LearningProgress `json:"progress,omitempty"`
	// Changes of the last run, by name: topics, then entities, the heaviest first, then items. At
	// most 30 of each kind and act are named.
	Changes []LearningChange `json:"changes"`
	// Problem is why the last run of this process failed; absent when it did not. The knowledge
	// from before is intact.
	Problem string `json:"problem,omitempty"`
}

// MemoryChange is the body of the notification `contexture/memory`, which is sent when
// conversations, rules or other knowledge of a root have changed, whoever changed them, at most
// four times a second. It does not name the change.
type MemoryChange struct {
	// Workspace is the URI of the root, as the client spells it; absent in a session without a
	// root.
	Workspace string `json:"workspace,omitempty"`
	// Version increases with every change.
	Version uint64 `json:"version"`
}

// LearningProgress is the progress of a run.
type LearningProgress struct {
	// Stage of the run, in a word, such as `reading`, `subjects` or `references`; absent before the
	// first. Later versions may have others.
	Stage string `json:"stage,omitempty"`
	// Share of the whole run that is done. It decreases only when the run starts over because its
	// input has changed.
	Share float64 `json:"share" check:"min=0,max=1"`
	// Done pieces of the stage.
	Done int `json:"done,omitempty"`
	// Total pieces of the stage; absent when unknown.
	Total int `json:"total,omitempty"`
	// Reason for the run.
	Reason string `json:"reason"`
	// MS since its beginning, in milliseconds.
	MS float64 `json:"ms"`
	// Waits is what it waits for at the moment; absent while it works.
	Waits string `json:"waits,omitempty"`
}

// LearningChange is a topic, an entity, or an item of knowledge that a run found, changed, or no
// longer found.
type LearningChange struct {
	// Act of the run. What is no longer found is only counted.
	Act string `json:"act" check:"enum=new|changed|gone"`
	// Kind is `topic`, `entity`, or that of the item.
	Kind string `json:"kind"`
	// ID of what is new or changed.
	ID string `json:"id,omitempty"`
	// Label or title.
	Label string `json:"label"`
}

// KnowledgeCoverage is how much of what people ask about is in the knowledge, as measured by the
// last run.
type KnowledgeCoverage struct {
	// Questions that people asked recently, at most one hundred.
	Questions int `json:"questions"`
	// Answered counts those of them that a reference, a lesson, a rule or a document is about.
	Answered int `json:"answered"`
	// Topics of conversations, at most one hundred.
	Topics int `json:"topics"`
	// Covered counts those of them that a reference, a lesson or a rule names.
	Covered int `json:"covered"`
}
