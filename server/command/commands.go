package command

import "context"

// Commands is the contract: a method for every command. The id of a command is "contexture."
// followed by the words of the method's name in lower case, joined by dots.
//
// Implementations are called concurrently, with decoded and checked arguments that they own. They
// give up ownership of their result: it must not be changed or shared with another call afterwards.
// An error that is not an [*Error] is answered as RequestFailed with data.code "failed".
//
// Directives state how a command is called; cmd/gen checks them and writes them into Infos:
//
//	contexture:writes memory|index       it changes that; a command without it only reads
//	contexture:idempotent [FIELD]        called again with the same arguments it changes nothing more: always, or where a
//	                                     field is set, in each element of a list (messages.id)
//	contexture:once ERROR [FIELD]        it does not either, always or where a field is set, but may answer notFound or exists
//	                                     then; "removed" is notFound that means success
//	contexture:destructive               it removes or replaces something
//	contexture:waits itself|briefly      for earlier changes: where it needs them, or for a tenth of a second at most; a command
//	                                     without it until they are visible
//	contexture:unordered                 later commands do not wait for what it changes
//	contexture:slot [CLASS] [itself]     its class of work: quick, write, large or interactive, by default write for memory and
//	                                     interactive for others; it takes its slot itself, or needs none
//	contexture:tool none                 no assistant may call it: text that a model reads may ask it to, and only the person consents
type Commands interface {
	// Bundle builds the context for a prompt under a token budget from the index, the conversation
	// and the memory, negotiated layer by layer. `tokens` is the exact count of `text` in
	// `encoding` and never above `budget`; `text` contains the prompt verbatim, and nothing of it
	// is stored. A prompt that alone does not fit answers promptExceedsBudget with `needed`.
	// Without a model, the same stores and the same input always yield the same bytes.
	//
	//contexture:waits briefly
	//contexture:slot itself
	Bundle(ctx context.Context, args *BundleArgs) (*BundleResult, error)

	// Search ranks code and memory for a query, without a budget.
	//
	//contexture:waits briefly
	//contexture:slot itself
	Search(ctx context.Context, args *SearchArgs) (*SearchResult, error)

	// Symbol returns what the workspace knows about a name: where it is defined and with which
	// signature, what calls or uses it, and what implements it. If nothing defines it, the answer
	// has the lines that mention it and the nearest names.
	Symbol(ctx context.Context, args *SymbolArgs) (*SymbolResult, error)

	// Impact returns what a change of the workspace concerns, as pointers with the reason: the
	// definitions that it touched, what calls and implements them, the tests to run, documents and
	// settings that name them, and what was ruled, decided or learned about the files. It fails
	// without a Git repository.
	//
	//contexture:waits briefly
	//contexture:slot itself
	Impact(ctx context.Context, args *ImpactArgs) (*ImpactResult, error)

	// Recall answers an assistant's question in the middle of a turn: it returns what memory and
	// index have on a query, as text under a budget; or one item in full.
	//
	//contexture:waits briefly
	//contexture:slot itself
	Recall(ctx context.Context, args *RecallArgs) (*RecallResult, error)

	// Ticklers returns short reminders of earlier turns that concern a prompt, or the symbols and
	// file at a location in a document, each with the prepared call that fetches the turn.
	//
	//contexture:waits briefly
	//contexture:slot itself
	Ticklers(ctx context.Context, args *TicklersArgs) (*TicklersResult, error)

	// Act returns what memory states about a file that an assistant is about to edit, or about the
	// failure of a call: active rules, decisions and lessons that name the file, or the command
	// that passed instead and the lessons of the same failure, whatever its numbers and folders.
	// Unless something surely does, it returns nothing.
	//
	//contexture:waits briefly
	//contexture:slot itself
	Act(ctx context.Context, args *ActArgs) (*ActResult, error)

	// Receipts returns what hooks gave to conversations and, where their logs are captured, what
	// came of it: the files that the assistant opened of those named, and the searches that told
	// nothing beyond what was given.
	Receipts(ctx context.Context, args *ReceiptsArgs) (*ReceiptsResult, error)

	// Feedback reports the response that a bundle led to. Each of its items is counted as used or
	// not, which moves its score in later bundles with a half-life of seven days.
	//
	//contexture:writes memory
	Feedback(ctx context.Context, args *FeedbackArgs) (*FeedbackResult, error)

	// Presence reports what the person is looking at, and returns what they will probably need
	// next, best first. The best predictions are prepared while the machine is idle.
	//
	//contexture:waits briefly
	//contexture:slot quick
	Presence(ctx context.Context, args *PresenceArgs) (*PresenceResult, error)

	// ConversationAppend adds messages to a conversation, creating it if it does not exist. A user
	// message opens a new turn; a message whose id exists already is not added twice. All messages
	// are added, or none.
	//
	//contexture:writes memory
	//contexture:idempotent messages.id
	//contexture:waits itself
	//contexture:slot interactive itself
	ConversationAppend(ctx context.Context, args *AppendArgs) (*AppendResult, error)

	// ConversationTurn returns one turn at one of four levels of detail, and by default pins it to
	// the board for five turns. For a level that is not available yet, the answer is extracted by
	// rules, with `pending`.
	//
	//contexture:writes memory
	//contexture:idempotent
	ConversationTurn(ctx context.Context, args *TurnArgs) (*TurnResult, error)

	// ConversationHistory returns the conversation under a budget, newer turns in more detail than
	// older ones. The bands move only every ten turns, so that the beginning of the text stays
	// stable.
	ConversationHistory(ctx context.Context, args *HistoryArgs) (*HistoryResult, error)

	// ConversationWindow returns the messages to send to a model under a budget, with a summary of
	// what is left out. The strategy follows the ratio of all messages' tokens to `budget` −
	// `arcBudget`: up to 1 `full`, up to 2.5 `windowed`, up to 8 `compacted`, above it
	// `multi_level`.
	ConversationWindow(ctx context.Context, args *WindowArgs) (*WindowResult, error)

	// ConversationArc returns what a conversation decided, what it left open and what it is about
	// now; every decision and question names the turn it comes from.
	ConversationArc(ctx context.Context, args *ArcArgs) (*ArcResult, error)

	// ConversationTurns lists the turns of a conversation, the latest page first, with the
	// decisions, questions, rules and lessons of each, and the conversations that share its past.
	ConversationTurns(ctx context.Context, args *TurnsArgs) (*TurnsResult, error)

	// ConversationFork starts a conversation that shares the past of another up to and including a
	// turn, without copying it. Deleting one never harms the other.
	//
	//contexture:writes memory
	//contexture:once exists
	ConversationFork(ctx context.Context, args *ForkArgs) (*ForkResult, error)

	// ConversationList lists the conversations of the workspace, the one with the latest message
	// first: all, or only those that match a query, that were captured from a host, or that are
	// forks of another.
	ConversationList(ctx context.Context, args *ListArgs) (*ListResult, error)

	// ConversationDelete removes a conversation, and what was derived only from it, from every
	// answer; its forks keep what they share. Without `wipe` its bytes stay in the state directory
	// until files are rewritten and checkpoints replaced.
	//
	//contexture:writes memory
	//contexture:once removed
	//contexture:destructive
	ConversationDelete(ctx context.Context, args *ConversationDeleteArgs) (*Deleted, error)

	// TaskComplete records a completed task and clears its blocker. The last five are in every
	// bundle that has room; 100 are stored, and the audit log keeps all.
	//
	//contexture:writes memory
	//contexture:destructive
	TaskComplete(ctx context.Context, args *TaskCompleteArgs) (*TaskResult, error)

	// TaskBlock records what blocks a task; it is in every bundle until the task is unblocked or
	// completed.
	//
	//contexture:writes memory
	TaskBlock(ctx context.Context, args *TaskBlockArgs) (*TaskResult, error)

	// TaskUnblock clears a task's blocker; notFound when it has none.
	//
	//contexture:writes memory
	//contexture:once notFound
	//contexture:destructive
	TaskUnblock(ctx context.Context, args *TaskUnblockArgs) (*TaskResult, error)

	// TaskList lists completed tasks, newest first, and all active blockers.
	TaskList(ctx context.Context, args *TaskListArgs) (*TaskListResult, error)

	// Remember stores a person's own words as confirmed: a rule, which is in every bundle from then
	// on, or a decision, a lesson or a note, which are found when a prompt or a recall concerns
	// them. Storing the same words again changes only the date. A rule replaces the rules that it
	// repeats or contradicts, and the answer lists them.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:destructive
	Remember(ctx context.Context, args *RememberArgs) (*RememberResult, error)

	// KnowledgePut stores a lesson, a reference or a standing rule; it replaces an existing item
	// with the same id.
	//
	//contexture:writes memory
	//contexture:idempotent id
	//contexture:destructive
	KnowledgePut(ctx context.Context, args *KnowledgePutArgs) (*KnowledgeItemResult, error)

	// KnowledgeGet returns one item.
	KnowledgeGet(ctx context.Context, args *KnowledgeIDArgs) (*KnowledgeItemResult, error)

	// KnowledgeList lists items, heaviest first.
	KnowledgeList(ctx context.Context, args *KnowledgeListArgs) (*KnowledgeListResult, error)

	// KnowledgeAccept confirms a candidate: from then on it is in every bundle, like what was
	// stored on purpose. A confirmed item stays as it is.
	//
	//contexture:writes memory
	//contexture:idempotent
	KnowledgeAccept(ctx context.Context, args *KnowledgeIDArgs) (*KnowledgeItemResult, error)

	// KnowledgeDelete removes an item from every answer. Its bytes stay in the state directory
	// until files are rewritten and checkpoints replaced: `contexture memory forget --knowledge ID`
	// wipes them, also after a deletion. A quotation that memory found by itself does not come
	// back.
	//
	//contexture:writes memory
	//contexture:once removed
	//contexture:destructive
	KnowledgeDelete(ctx context.Context, args *KnowledgeIDArgs) (*Deleted, error)

	// KnowledgeTopics lists the topics that conversations are about, heaviest first.
	KnowledgeTopics(ctx context.Context, args *Empty) (*TopicsResult, error)

	// KnowledgeEntities lists the people, services, tables, tickets, projects, flags and hosts that
	// conversations mention by name, heaviest first.
	KnowledgeEntities(ctx context.Context, args *EntitiesArgs) (*EntitiesResult, error)

	// KnowledgeProfile returns what is known of a topic or an entity.
	KnowledgeProfile(ctx context.Context, args *ProfileArgs) (*ProfileResult, error)

	// KnowledgeGraph returns the heaviest topics, entities and files of the conversations, and
	// which of them occur in the same turns.
	KnowledgeGraph(ctx context.Context, args *GraphArgs) (*GraphResult, error)

	// KnowledgeSteer renames a topic or an entity, merges it into another, pins it, or forgets it.
	// Later runs of the offline learning respect this.
	//
	//contexture:writes memory
	//contexture:once notFound
	//contexture:destructive
	KnowledgeSteer(ctx context.Context, args *SteerArgs) (*SteerResult, error)

	// KnowledgeStatus returns the state of the offline learning: when it last ran, what changed,
	// and what it waits for.
	KnowledgeStatus(ctx context.Context, args *Empty) (*LearningStatus, error)

	// KnowledgeProcess runs the offline learning now: topics, lessons, references and rules are
	// distilled, merged and pruned. The new version replaces the old one in one step; readers see
	// one of the two, never a mixture.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:destructive
	//contexture:unordered
	//contexture:slot interactive itself
	KnowledgeProcess(ctx context.Context, args *ProcessArgs) (*ProcessResult, error)

	// KnowledgeRecommendations lists what a person should do to improve the knowledge: gaps to
	// fill, rules to accept, rules that contradict each other, outdated references, topics to
	// merge. Each has the command that does it.
	KnowledgeRecommendations(ctx context.Context, args *Empty) (*RecommendationsResult, error)

	// KnowledgeDigest summarises what was learned: preferences with how often each was said, and
	// mistakes to avoid, by failure, with what worked. Both are quotations.
	KnowledgeDigest(ctx context.Context, args *Empty) (*DigestResult, error)

	// KnowledgeWorkspace describes how the workspace is composed and written: languages, versions,
	// dependencies, services, commands, configured tools, and conventions and patterns measured in
	// its code. Each fact has the lines or the files that support it.
	KnowledgeWorkspace(ctx context.Context, args *Empty) (*WorkspaceFactsResult, error)

	// TeamStatus tells which team the workspace's repository belongs to, and what is shared. It
	// waits for no server.
	//
	//contexture:tool none
	TeamStatus(ctx context.Context, args *Empty) (*TeamStatus, error)

	// TeamJoin makes the workspace's repository belong to the team of a membership file, and begins
	// to share with it. Another membership replaces the former.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:slot itself
	//contexture:tool none
	TeamJoin(ctx context.Context, args *TeamJoinArgs) (*TeamStatus, error)

	// TeamLeave ends sharing of the workspace's repository. Suggestions of teammates are removed;
	// what was accepted stays, and so does what the team got.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:slot itself
	//contexture:tool none
	TeamLeave(ctx context.Context, args *Empty) (*TeamLeft, error)

	// TeamShare says whether an item of knowledge is shared with the team, whatever the setting
	// team.share says. What was shared and is withheld is withdrawn from everybody.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:slot itself
	//contexture:tool none
	TeamShare(ctx context.Context, args *TeamShareArgs) (*TeamStatus, error)

	// TeamSync exchanges facts with the team's servers, and waits until they have what is shared
	// and until what they have was read.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:slot itself
	//contexture:tool none
	TeamSync(ctx context.Context, args *Empty) (*TeamStatus, error)

	// TeamExport writes the facts of the repository as files into a folder of it, the same bytes
	// from every clone, so that a team without a server shares by commits.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:slot itself
	//contexture:tool none
	TeamExport(ctx context.Context, args *TeamFolderArgs) (*TeamExchanged, error)

	// TeamImport takes over the facts in a folder of the repository. Those of others become
	// suggestions, as from a server.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:slot itself
	//contexture:tool none
	TeamImport(ctx context.Context, args *TeamFolderArgs) (*TeamExchanged, error)

	// BoardList lists the items on a conversation's board: notes that the bundles of that
	// conversation show.
	BoardList(ctx context.Context, args *BoardListArgs) (*BoardListResult, error)

	// BoardPut puts an item on a conversation's board for a number of turns: it is removed when the
	// ttl-th user message after it arrives.
	//
	//contexture:writes memory
	BoardPut(ctx context.Context, args *BoardPutArgs) (*BoardItemResult, error)

	// BoardRemove removes an item from a conversation's board.
	//
	//contexture:writes memory
	//contexture:once removed
	//contexture:destructive
	BoardRemove(ctx context.Context, args *BoardRemoveArgs) (*Deleted, error)

	// CabinetPut stores a text under a key; it is kept for 30 days after its last use.
	//
	//contexture:writes memory
	CabinetPut(ctx context.Context, args *CabinetPutArgs) (*CabinetPutResult, error)

	// CabinetGet returns a stored text, which counts as use.
	//
	//contexture:writes memory
	//contexture:idempotent
	CabinetGet(ctx context.Context, args *CabinetKeyArgs) (*CabinetGetResult, error)

	// CabinetList lists the stored texts, latest use first.
	CabinetList(ctx context.Context, args *Empty) (*CabinetListResult, error)

	// CabinetDelete removes a stored text from every answer. Its bytes stay in the state directory
	// until files are rewritten and checkpoints replaced; any later `contexture memory forget`
	// wipes them.
	//
	//contexture:writes memory
	//contexture:once removed
	//contexture:destructive
	CabinetDelete(ctx context.Context, args *CabinetKeyArgs) (*Deleted, error)

	// LearnedReset discards what was learned from use: the shares of layers, see the setting
	// `budget.adaptive`, and the prediction of the next prompts. Feedback on single items stays.
	//
	//contexture:writes memory
	//contexture:idempotent
	//contexture:destructive
	LearnedReset(ctx context.Context, args *LearnedResetArgs) (*LearnedResetResult, error)

	// CaptureStatus returns, for each source of conversations, whether it is on, where it looks for
	// logs, what was read, and what was not understood.
	//
	//contexture:slot quick
	//contexture:tool none
	CaptureStatus(ctx context.Context, args *Empty) (*CaptureStatusResult, error)

	// CaptureSet switches a source of conversations on or off for this person. Nothing else does:
	// no repository's settings can.
	//
	//contexture:slot quick
	//contexture:tool none
	CaptureSet(ctx context.Context, args *CaptureSetArgs) (*CaptureStatusResult, error)

	// CapturePoke requests that a source which is on is read soon, for the hooks of assistants'
	// hosts. It answers at once.
	//
	//contexture:slot quick
	//contexture:tool none
	CapturePoke(ctx context.Context, args *CapturePokeArgs) (*CapturePokeResult, error)

	// CaptureImport imports the conversations from before a source was switched on. What memory has
	// already, and what was forgotten, is not added again.
	//
	//contexture:slot itself
	//contexture:tool none
	CaptureImport(ctx context.Context, args *CaptureImportArgs) (*CaptureImportResult, error)

	// IndexStatus returns the state of the workspace's index: its progress and what it leaves out.
	//
	//contexture:slot quick
	IndexStatus(ctx context.Context, args *Empty) (*IndexStatusResult, error)

	// IndexRebuild rebuilds the index in the background, or only its embeddings, and returns the
	// status at once. The old index is used until the new one is complete.
	//
	//contexture:writes index
	//contexture:idempotent
	//contexture:destructive
	//contexture:slot itself
	IndexRebuild(ctx context.Context, args *RebuildArgs) (*IndexStatusResult, error)

	// IndexWhy reports whether a file is indexed and which rule, in which file and line, decides
	// that.
	//
	//contexture:slot quick itself
	IndexWhy(ctx context.Context, args *WhyArgs) (*WhyResult, error)

	// IndexSkipped lists the files of the workspace that are not indexed, with the rule, its file
	// and its line. A folder that is left out as a whole is one entry. The answers agree with those
	// of `contexture.index.why`.
	//
	//contexture:waits itself
	//contexture:slot itself
	IndexSkipped(ctx context.Context, args *SkippedArgs) (*SkippedResult, error)

	// IndexExclude adds a pattern to the `.contextureignore` of the root, or removes it, which
	// answers notFound for a pattern that is not there. It creates the file if it does not exist,
	// and leaves its other lines as they are. The answer comes when the file is on disk; the index
	// follows by itself soon after. An existing pattern is not added again.
	//
	//contexture:writes index
	//contexture:idempotent
	//contexture:once notFound remove
	//contexture:destructive
	//contexture:waits itself
	//contexture:slot write itself
	IndexExclude(ctx context.Context, args *ExcludeArgs) (*ExcludeResult, error)

	// IndexSecrets counts the secrets that the scanner removed from indexed files, by file and
	// rule, never with their text. The files whose indexed text has a redaction mark are scanned
	// again as they are on disk, so that a mark in a file's own text is not counted. It does not
	// count files that are left out as a whole, unsaved buffers, commit messages and conversations.
	//
	//contexture:waits itself
	//contexture:slot large itself
	IndexSecrets(ctx context.Context, args *SecretsArgs) (*SecretsResult, error)

	// Syntax returns the spans of source texts for syntax highlighting, by the grammars with which
	// the index cuts files. Texts may be fragments that begin and end anywhere. A text in an
	// unknown language, or in one without a grammar, has no spans; one that takes too long has none
	// either, and `degraded` names it.
	//
	//contexture:waits itself
	Syntax(ctx context.Context, args *SyntaxArgs) (*SyntaxResult, error)

	// Metrics returns what has been measured since the process started.
	//
	//contexture:slot quick
	Metrics(ctx context.Context, args *Empty) (*MetricsResult, error)

	// MetricsRecent returns the last requests that the process answered, of all workspaces, and the
	// last warnings and errors that it logged. Neither contains text of prompts, files or
	// conversations.
	//
	//contexture:waits itself
	//contexture:slot quick
	MetricsRecent(ctx context.Context, args *Empty) (*RecentResult, error)

	// Config lists every setting with its value and where it comes from.
	//
	//contexture:slot quick
	Config(ctx context.Context, args *Empty) (*ConfigResult, error)
}
