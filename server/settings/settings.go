// Package settings holds the program's settings: typed, with defaults, validation and provenance.
//
// A session's settings are resolved from layers, later ones over earlier ones: the defaults, the
// user's config.toml ([UserTOML]), .contexture.toml in the root ([ReadWorkspace]), and the editor's
// section `contexture` ([EditorJSON]). Nothing in a layer can make the program fail: an invalid key
// becomes a [Problem] and the rest of the layer applies; a file that cannot be parsed becomes one
// Problem and the layer is left out.
//
// A root's .contexture.toml comes with the repository, and anybody may have written it. It sets
// only what cannot harm the person who opens the repository. The tag `repository` of each setting
// decides: `any` value, only files `inRoot`, `onlyOff`, or `never`. What is refused becomes a
// Problem; the rest of the file applies.
//
// A setting with the tag `from:"files"` is for programs that no editor runs: the editor's section
// does not set it.
//
// The doc comments of the fields of [Settings] are the user's documentation: cmd/gen turns them
// into the reference page.
package settings

// Settings holds all settings of the program, for one session and root. It is immutable: its lists
// and maps are shared and must not be changed.
type Settings struct {
	// Enabled switches the whole program on. When off, nothing is indexed and commands answer
	// unavailable.
	Enabled bool `key:"enabled" repository:"any" default:"true"`
	// Order of a bundle's text: `cache` puts stable content first, so that a model's prefix cache
	// can reuse it; `primed` puts memory and board before the history.
	Order       string `key:"order" repository:"any" default:"cache" check:"enum=cache|primed"`
	Budget      Budget
	History     History
	Identity    Identity
	Preferences Preferences
	Index       Index
	Ollama      Ollama
	Memory      Memory
	Ticklers    Ticklers
	Filter      Filter
	Judge       Judge
	Secrets     Secrets
	Metrics     Metrics
	Prediction  Prediction
	Hooks       Hooks
	Team        Team

	sources map[string]string // by key; a missing key has its default
}

// Budget of bundles.
type Budget struct {
	// Default is the budget of a bundle whose request has none, in tokens.
	Default int `key:"budget.default" repository:"any" default:"12000" check:"min=256,max=1000000"`
	// Encoding in which tokens are counted when a request names none.
	Encoding string `key:"budget.encoding" repository:"any" default:"o200k_base" check:"enum=o200k_base|cl100k_base"`
	// Adaptive lets the ideals of layers change with how much of what they showed was used, by at
	// most 40 %.
	Adaptive bool `key:"budget.adaptive" repository:"any" default:"true"`
}

// History of conversations in bundles.
type History struct {
	// Strategy for a conversation's history: `gradient` shows newer turns in more detail, `regular`
	// the newest whole turns that fit, `oneShot` a specification, task list and log.
	Strategy string `key:"history.strategy" repository:"any" default:"gradient" check:"enum=gradient|regular|oneShot"`
}

// Identity of the assistant.
type Identity struct {
	// File that describes the assistant and for whom it works (layer L0). Empty means `identity.md`
	// in the configuration folder. A relative path starts at the file that sets it, or at the root
	// when the editor does; `~/` is the home folder.
	File string `key:"identity.file" repository:"inRoot" check:"bytes=0..4096,format=path"`
}

// Preferences of the person.
type Preferences struct {
	// Files with preferences and rules (layer L1), besides `preferences.md` in the configuration
	// folder. Relative paths start at the root; missing files are skipped.
	Files []string `key:"preferences.files" repository:"inRoot" default:".contexture/preferences.md AGENTS.md CLAUDE.md .cursorrules .github/copilot-instructions.md" check:"items=0..100" each:"bytes=1..4096,format=path"`
}

// Index of the workspace.
type Index struct {
	// Include adds files that the ignore rules exclude. Patterns are those of .gitignore, relative
	// to the root.
	Include []string `key:"index.include" repository:"any" check:"items=0..1000" each:"bytes=1..4096,format=pattern"`
	// Exclude keeps files out of the index. Patterns are those of .gitignore, relative to the root.
	Exclude []string `key:"index.exclude" repository:"any" check:"items=0..1000" each:"bytes=1..4096,format=pattern"`
	// MaxFileBytes is the size in bytes above which a file is not indexed.
	MaxFileBytes int64 `key:"index.maxFileBytes" repository:"any" default:"1048576" check:"min=1,max=67108864"`
	// FollowLinks follows symbolic links; their targets must still be inside a root.
	FollowLinks bool `key:"index.followLinks" repository:"never" default:"false"`
	// Paused stops indexing and embedding; what is indexed stays searchable.
	Paused bool `key:"index.paused" repository:"any" default:"false"`
}

// Ollama is the model server.
type Ollama struct {
	// URL of the model server. Empty means the environment's `OLLAMA_HOST`, else the usual loopback
	// port.
	URL string `key:"ollama.url" repository:"never" check:"bytes=0..2048,format=httpURL"`
	// AllowRemote names the hosts besides this machine to which texts may be sent; `true` allows
	// the configured host, whatever it is.
	AllowRemote []string `key:"ollama.allowRemote" repository:"never" check:"items=0..100,orBool" each:"bytes=1..253,format=host"`
	// EmbedModel makes vectors. Empty means the best installed one, else the built-in embedder.
	EmbedModel string `key:"ollama.embedModel" repository:"never" check:"bytes=0..512,format=line"`
	// ChatModel filters, judges and summarises. Empty means the best installed one, else rules.
	ChatModel string `key:"ollama.chatModel" repository:"never" check:"bytes=0..512,format=line"`
	// Prefixes override the prefixes of queries and documents when they are embedded, by model
	// name: `{"nomic-embed-text": {"query": "search_query: ", "document": "search_document: "}}`.
	Prefixes map[string]Prefix `key:"ollama.prefixes" repository:"never"`
}

// Prefix holds the prefixes that an embedding model expects.
type Prefix struct {
	// Query is the prefix of a query.
	Query string `json:"query"`
	// Document is the prefix of a document.
	Document string `json:"document"`
}

// Memory of conversations.
type Memory struct {
	// Enabled keeps conversations, tasks and knowledge. When off, commands that need them answer
	// unavailable.
	Enabled bool `key:"memory.enabled" repository:"onlyOff" default:"true"`
	// Learn distils lessons, rules and topics from conversations.
	Learn bool `key:"memory.learn" repository:"never" default:"true"`
}

// Prediction of the next prompts.
type Prediction struct {
	// Enabled predicts what the person will probably ask about next, for clients that report what
	// they are looking at. A repository may only switch it off.
	Enabled bool `key:"prediction.enabled" repository:"onlyOff" default:"true"`
}

// Hooks that assistants' hosts run; each can be switched off alone.
type Hooks struct {
	// AtStart tells the rules when a session starts, resumes or is cleared.
	AtStart bool `key:"hooks.atStart" from:"files" repository:"onlyOff" default:"true"`
	// BeforePrompt names the places that a prompt is about, and tells what memory has on it.
	BeforePrompt bool `key:"hooks.beforePrompt" from:"files" repository:"onlyOff" default:"true"`
	// BeforeEdit tells what was ruled, decided or learned of a file before it is edited.
	BeforeEdit bool `key:"hooks.beforeEdit" from:"files" repository:"onlyOff" default:"true"`
	// AfterFailure tells what fixed the same failure before, after a call failed.
	AfterFailure bool `key:"hooks.afterFailure" from:"files" repository:"onlyOff" default:"true"`
	// BeforeSubagent tells a sub-agent the rules and what its task is part of.
	BeforeSubagent bool `key:"hooks.beforeSubagent" from:"files" repository:"onlyOff" default:"true"`
	// AfterCompaction repeats what a compaction of the conversation removed.
	AfterCompaction bool `key:"hooks.afterCompaction" from:"files" repository:"onlyOff" default:"true"`
}

// Team that the repository belongs to, after `contexture team join`.
type Team struct {
	// Enabled shares with the team. When off, nothing is sent or received.
	Enabled bool `key:"team.enabled" repository:"onlyOff" default:"true"`
	// Share lists the kinds of what you stored or accepted that the team gets without a mark:
	// `rule:project` is a rule that names a file, a command or a symbol, the others are `lesson`,
	// `decision` and `reference`. Conversations and notes are never shared, other rules only when
	// you mark them.
	Share []string `key:"team.share" repository:"any" check:"items=0..4" each:"enum=rule:project|lesson|decision|reference"`
	// Bandwidth is the highest rate of embeddings to the team and from it, in KiB a second each; 0
	// is no limit. The settings of the repository that is opened first apply to all of a team.
	Bandwidth int `key:"team.bandwidth" repository:"never" default:"0" check:"min=0,max=10000000"`
}

// Ticklers are reminders of earlier turns.
type Ticklers struct {
	// Max is the number of reminders in a bundle; 0 switches them off there.
	Max int `key:"ticklers.max" repository:"any" default:"5" check:"min=0,max=20"`
	// CodeLens shows reminders above the symbols that they concern.
	CodeLens bool `key:"ticklers.codeLens" repository:"any" default:"true"`
	// Hover shows reminders for the symbol under the pointer.
	Hover bool `key:"ticklers.hover" repository:"any" default:"true"`
}

// Filter of candidates.
type Filter struct {
	// Enabled lets a chat model, if there is one, remove what is not relevant to the prompt.
	Enabled bool `key:"filter.enabled" repository:"any" default:"true"`
}

// Judge of candidates.
type Judge struct {
	// Enabled lets a chat model, if there is one, decide what goes into a bundle and in which
	// format.
	Enabled bool `key:"judge.enabled" repository:"any" default:"true"`
}

// Secrets configures the secret scanner.
type Secrets struct {
	// Allow lists what the secret scanner must not redact: regular expressions that match the found
	// text, or `rule:<id>` for everything that one rule finds.
	Allow []string `key:"secrets.allow" repository:"never" check:"items=0..1000" each:"bytes=1..4096,format=regexp"`
}

// Metrics of the program.
type Metrics struct {
	// Listen is the loopback address, such as `127.0.0.1:9477`, that serves metrics as Prometheus
	// text; empty serves none.
	Listen string `key:"metrics.listen" repository:"never" check:"format=loopback"`
}
