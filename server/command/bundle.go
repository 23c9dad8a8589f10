package command

// BundleArgs asks for the context of a prompt.
type BundleArgs struct {
	Scope
	// Prompt is the person's request, as they wrote it.
	Prompt string `json:"prompt" check:"required,bytes=1..1048576"`
	// ConversationID of the conversation that the prompt continues; it need not exist yet.
	ConversationID string `json:"conversationId,omitempty" check:"chars=1..200,format=id"`
	// Budget of the whole text, in tokens of the encoding.
	Budget int `json:"budget,omitempty" check:"setting=budget.default,min=256,max=1000000"`
	// Encoding that tokens are counted in.
	Encoding string `json:"encoding,omitempty" check:"setting=budget.encoding,enum=o200k_base|cl100k_base"`
	// Frame of the prompt; classified when absent.
	Frame string `json:"frame,omitempty" check:"enum=conversation|question|task|decision|creative|debug"`
	// KnowledgeDepth is how much knowledge of topics and entities is wanted.
	KnowledgeDepth string `json:"knowledgeDepth,omitempty" check:"default=standard,enum=minimal|standard|deep"`
	// PrioritizeHistory gives the conversation's history precedence over retrieved items.
	PrioritizeHistory bool `json:"prioritizeHistory,omitempty"`
	// HistoryStrategy of layer L6.
	HistoryStrategy string `json:"historyStrategy,omitempty" check:"setting=history.strategy,enum=gradient|regular|oneShot"`
	// Order of the text: `cache` puts stable content first, `primed` puts memory and board before
	// the history.
	Order string `json:"order,omitempty" check:"setting=order,enum=cache|primed"`
	// Fill decides where the bundle ends: `relevant`, where further items stop helping, or `full`,
	// at the budget.
	Fill string `json:"fill,omitempty" check:"default=relevant,enum=relevant|full"`
	// DeadlineMS bounds the whole command, in milliseconds; what is not ready by then is left out
	// and named in `degraded`.
	DeadlineMS int `json:"deadlineMs,omitempty" check:"default=1000,min=50,max=60000"`
	// TextDocument in focus. A prompt that leaves its subject open is about the location in this
	// and the next three fields; otherwise the location raises scores.
	TextDocument *TextDocument `json:"textDocument,omitempty"`
	// Position of the cursor in it.
	Position *Position `json:"position,omitempty"`
	// Selection in it.
	Selection *Range `json:"selection,omitempty"`
	// VisibleDocuments are the URIs of the documents in view.
	VisibleDocuments []string `json:"visibleDocuments,omitempty" check:"items=0..1000" each:"format=uri"`
	// Exclude lists globs over paths relative to the root; files that match are not retrieved.
	Exclude []string `json:"exclude,omitempty" check:"items=0..1000" each:"bytes=1..4096,format=glob"`
	// Include lists ids of items or of what was left out, as in `items` and `dropped`. They are
	// taken before others, in this order, as far as they fit beside the prompt, whatever their
	// score and the chat model's judgement; a memory that does not fit in full may be shown in a
	// shorter form. What is not taken is named in `dropped`, and what does not exist in `degraded`.
	Include []string `json:"include,omitempty" check:"items=0..50" each:"bytes=1..16384"`
	// Omit lists ids of items to leave out, even if Include has them. A piece of a definition
	// stands for the whole definition.
	Omit []string `json:"omit,omitempty" check:"items=0..50" each:"bytes=1..16384"`
	// Layers overrides parameters of single layers, by name.
	Layers map[string]LayerOverride `json:"layers,omitempty" keys:"enum=L0_identity|L1_global_prefs|L2_topic|L3_entity|L4_conversation|L5_jit|L6_message_history|L7_user_message"`
	// IncludeText selects whether the answer has the text; without it `items` describes what the
	// text would contain.
	IncludeText bool `json:"includeText" check:"default=true"`
}

// LayerOverride replaces parameters of one layer; an absent one keeps its computed value. A min
// above the max is an error.
type LayerOverride struct {
	// Min is the smallest size at which the layer is shown, in tokens.
	Min *int `json:"min,omitempty" check:"min=0,max=1000000"`
	// Ideal is what the layer would take with enough room, in tokens.
	Ideal *int `json:"ideal,omitempty" check:"min=0,max=1000000"`
	// Max is the most the layer may take, in tokens.
	Max *int `json:"max,omitempty" check:"min=0,max=1000000"`
	// Priority over other layers; higher is served first and cut last.
	Priority *float64 `json:"priority,omitempty" check:"min=0,max=100"`
	// Elasticity is how willing the layer is to shrink: 0 not at all, 1 freely.
	Elasticity *float64 `json:"elasticity,omitempty" check:"min=0,max=1"`
}

// BundleResult is the context of a prompt.
type BundleResult struct {
	// ID of the bundle, for `contexture.feedback`.
	ID string `json:"id"`
	// Text to send to the model; absent when includeText is false.
	Text string `json:"text,omitempty"`
	// Tokens is the exact count of the text in the encoding; special tokens count as plain text.
	Tokens int `json:"tokens"`
	// Budget that applied.
	Budget int `json:"budget"`
	// Encoding in which tokens were counted.
	Encoding string `json:"encoding" check:"enum=o200k_base|cl100k_base"`
	// Order of the text.
	Order string `json:"order" check:"enum=cache|primed"`
	// Frame of the prompt, as requested or classified.
	Frame string `json:"frame" check:"enum=conversation|question|task|decision|creative|debug"`
	// Intent read from the prompt.
	Intent Intent `json:"intent"`
	// Layers from L0 to L7, all eight: min ≤ ideal ≤ max, used ≤ allocated ≤ max, and the sum of
	// the allocations ≤ budget.
	Layers []Layer `json:"layers"`
	// Pays is the probability that the places spare an assistant a search of its own, so that their
	// names are worth their tokens where nobody asked for them; 0 where nothing was retrieved.
	Pays float64 `json:"pays"`
	// Items in the order of the text. An item of kind `notice` whose id begins with `missing:`
	// means that the prompt names a file that does not exist; it suggests the nearest ones.
	Items []Item `json:"items"`
	// Dropped lists the candidates that were left out, with the reasons.
	Dropped []Dropped `json:"dropped"`
	// Board of the conversation.
	Board []BoardItem `json:"board"`
	// Stages in order.
	Stages []Stage `json:"stages"`
	// Degraded lists what the answer lacks.
	Degraded []Degradation `json:"degraded"`
	// Cache is how much of the text a prefix cache can reuse.
	Cache Cache `json:"cache"`
	// Versions of the data that the bundle was built from, one consistent pair.
	Versions Versions `json:"versions"`
}

// Intent is what a prompt asks for, found by pattern matching.
type Intent struct {
	// Question is true when the prompt asks something.
	Question bool `json:"question"`
	// Greeting is true when the prompt is only a greeting, for which nothing is retrieved.
	Greeting bool `json:"greeting"`
	// Recency from 0 (no reference to time) to 1 (today).
	Recency float64 `json:"recency"`
	// Hints lists types of memory that the prompt probably means: `decision`, `fact`, `procedure`,
	// `episode`.
	Hints []string `json:"hints"`
	// Entities that the prompt names: files, symbols, packages, names, dates.
	Entities []string `json:"entities"`
	// Keywords of its topic.
	Keywords []string `json:"keywords"`
	// Identifiers of code in the prompt.
	Identifiers []string `json:"identifiers"`
	// Focus lists the files and symbols that the conversation is about, those of its latest turns
	// first. What is in them or defines them ranks higher, the more so the less the prompt itself
	// determines its subject. Empty without a conversation, and for a prompt that is not about the
	// workspace.
	Focus []Focus `json:"focus"`
}

// Focus is a file or a symbol that the conversation is about.
type Focus struct {
	// Kind of the subject.
	Kind string `json:"kind" check:"enum=file|symbol"`
	// Name of the symbol, or path of the file relative to the root.
	Name string `json:"name"`
	// URI of the file, or of the one that defines the symbol.
	URI string `json:"uri"`
	// From is `conversation` when this conversation mentions it, and `earlier` when only earlier
	// ones of the workspace do.
	From string `json:"from" check:"enum=conversation|earlier"`
	// TurnID of this conversation's last turn that mentions it.
	TurnID string `json:"turnId,omitempty"`
}

// Layer is one layer's share of the budget, in tokens.
type Layer struct {
	// Layer is its name.
	Layer string `json:"layer" check:"enum=L0_identity|L1_global_prefs|L2_topic|L3_entity|L4_conversation|L5_jit|L6_message_history|L7_user_message"`
	// Min is the smallest size at which it is shown.
	Min int `json:"min"`
	// Ideal is what it would take with enough room.
	Ideal int `json:"ideal"`
	// Max is the most it may take.
	Max int `json:"max"`
	// Priority over other layers.
	Priority float64 `json:"priority"`
	// Elasticity from 0 to 1.
	Elasticity float64 `json:"elasticity"`
	// Allocated by the negotiation.
	Allocated int `json:"allocated"`
	// Used by its items; a layer with little to show may be below its min.
	Used int `json:"used"`
}

// Dropped is a candidate that was left out.
type Dropped struct {
	// ID of the candidate.
	ID string `json:"id"`
	// Kind of the candidate.
	Kind string `json:"kind" check:"enum=code|doc|lesson|reference|turn|tickler|arc|message|summary|task|blocker|rule|identity|preference|topic|entity|notice|prompt"`
	// Reason that it was left out.
	Reason string `json:"reason" check:"enum=duplicate|redundant|budget|threshold|stale|outsideRoot|binary|excluded|filtered|superseded"`
	// Score is the probability that it would have helped, like an item's score; absent when
	// unknown. The reason `threshold` means that it is too low.
	Score float64 `json:"score,omitempty"`
	// Needed is the score that it would have needed; absent unless the reason is `threshold`.
	Needed float64 `json:"needed,omitempty"`
	// Title that its item would have; absent when there is none.
	Title string `json:"title,omitempty"`
	// URI of the document it comes from.
	URI string `json:"uri,omitempty"`
	// Range in that document, in whole lines.
	Range *Range `json:"range,omitempty"`
	// Tokens that its item would take, an estimate for a place that was not read; absent when
	// unknown.
	Tokens int `json:"tokens,omitempty"`
}

// Cache compares a bundle with the previous one of its conversation.
type Cache struct {
	// StablePrefixTokens is the length of the part designed not to change from turn to turn.
	StablePrefixTokens int `json:"stablePrefixTokens"`
	// StablePrefixHash identifies that part.
	StablePrefixHash string `json:"stablePrefixHash"`
	// ReusedPrefixTokens is how much of the text's beginning equals the previous bundle's. It may
	// exceed StablePrefixTokens.
	ReusedPrefixTokens int `json:"reusedPrefixTokens"`
}
