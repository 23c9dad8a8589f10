// Package settings holds the program's settings: typed, with defaults, validation and provenance.
//
// A session's settings are resolved from layers, later ones over earlier ones: the defaults, the
// user's config.toml ([UserTOML]), .contexture.toml in the root ([ReadWorkspace]), and the editor's
// section `contexture` ([EditorJSON]). Nothing in a layer can fail the program: a wrong key becomes
// a [Problem] and the rest of the layer holds; a file that cannot be parsed becomes one Problem and
// the layer is left out.
//
// A root's .contexture.toml comes with the repository and may have been written by anybody. It sets
// only what cannot harm the person who opens the repository. The tag `repository` of each setting
// decides: `any` value, only files `inRoot`, `onlyOff`, or `never`. What is refused becomes a
// Problem; the rest of the file holds.
//
// The doc comments of the fields of [Settings] are the user's documentation: cmd/gen turns them
// into the reference page.
package settings

// Settings are all settings of the program, as they hold for one session and root. A Settings is
// immutable: its lists and maps are shared and must not be changed.
type Settings struct {
	// Enabled switches the whole program on. When off, nothing is indexed and commands answer
	// unavailable.
	Enabled bool `key:"enabled" repository:"any" default:"true"`
	// Order of a bundle's text: `cache` puts what is stable first, so that a model's prefix cache
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

	sources map[string]string // by key; what is not there comes from the defaults
}

// Budget of bundles.
type Budget struct {
	// Default is the budget of a bundle that names none, in tokens.
	Default int `key:"budget.default" repository:"any" default:"12000" check:"min=256,max=1000000"`
	// Encoding that tokens are counted in where a request names none.
	Encoding string `key:"budget.encoding" repository:"any" default:"o200k_base" check:"enum=o200k_base|cl100k_base"`
	// Adaptive lets the ideals of layers move with how much of what they showed was used, by 40 %
	// at most.
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
	// File that says who the assistant is and for whom it works (layer L0). Empty means
	// `identity.md` in the configuration folder. A relative path starts at the file that sets it,
	// or at the root when the editor does; `~/` is the home folder.
	File string `key:"identity.file" repository:"inRoot" check:"bytes=0..4096,format=path"`
}

// Preferences of the person.
type Preferences struct {
	// Files with preferences and rules (layer L1), besides `preferences.md` in the configuration
	// folder. Relative paths start at the root; those that do not exist are passed over.
	Files []string `key:"preferences.files" repository:"inRoot" default:".contexture/preferences.md AGENTS.md CLAUDE.md .cursorrules .github/copilot-instructions.md" check:"items=0..100" each:"bytes=1..4096,format=path"`
}

// Index of the workspace.
type Index struct {
	// Include brings back files that the ignore rules exclude. Patterns are those of .gitignore,
	// relative to the root.
	Include []string `key:"index.include" repository:"any" check:"items=0..1000" each:"bytes=1..4096,format=pattern"`
	// Exclude keeps files out of the index. Patterns are those of .gitignore, relative to the root.
	Exclude []string `key:"index.exclude" repository:"any" check:"items=0..1000" each:"bytes=1..4096,format=pattern"`
	// MaxFileBytes is the size in bytes above which a file is not indexed.
	MaxFileBytes int64 `key:"index.maxFileBytes" repository:"any" default:"1048576" check:"min=1,max=67108864"`
	// FollowLinks follows symbolic links; what they point to must still be inside a root.
	FollowLinks bool `key:"index.followLinks" repository:"never" default:"false"`
	// Paused stops indexing and embedding; what is indexed goes on serving.
	Paused bool `key:"index.paused" repository:"any" default:"false"`
}

// Ollama is the model server.
type Ollama struct {
	// URL of the model server. Empty means the environment's `OLLAMA_HOST`, else the usual loopback
	// port.
	URL string `key:"ollama.url" repository:"never" check:"bytes=0..2048,format=httpURL"`
	// AllowRemote names the hosts besides this machine that texts may be sent to; `true` allows the
	// one that is configured, whatever it is.
	AllowRemote []string `key:"ollama.allowRemote" repository:"never" check:"items=0..100,orBool" each:"bytes=1..253,format=host"`
	// EmbedModel makes vectors. Empty means the best one that is installed, else the built-in
	// embedder.
	EmbedModel string `key:"ollama.embedModel" repository:"never" check:"bytes=0..512,format=line"`
	// ChatModel filters, judges and sums up. Empty means the best one that is installed, else
	// rules.
	ChatModel string `key:"ollama.chatModel" repository:"never" check:"bytes=0..512,format=line"`
	// Prefixes override what is put before queries and documents when they are embedded, by model
	// name: `{"nomic-embed-text": {"query": "search_query: ", "document": "search_document: "}}`.
	Prefixes map[string]Prefix `key:"ollama.prefixes" repository:"never"`
}

// Prefix is what an embedding model expects before a text.
type Prefix struct {
	// Query is put before a query.
	Query string `json:"query"`
	// Document is put before a document.
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

// Prediction of what will be asked next.
type Prediction struct {
	// Enabled compiles the bundles that will probably be asked for next while the machine is idle,
	// where an editor reports what the person looks at. A repository may only switch it off.
	Enabled bool `key:"prediction.enabled" repository:"onlyOff" default:"true"`
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
	// Enabled lets a chat model, when there is one, sort out what does not concern the prompt.
	Enabled bool `key:"filter.enabled" repository:"any" default:"true"`
}

// Judge of candidates.
type Judge struct {
	// Enabled lets a chat model, when there is one, decide what goes into a bundle and in which
	// format.
	Enabled bool `key:"judge.enabled" repository:"any" default:"true"`
}

// Secrets that are kept out.
type Secrets struct {
	// Allow lists what the secret scanner must leave alone: regular expressions over the text
	// found, or `rule:<id>` for all that one rule finds.
	Allow []string `key:"secrets.allow" repository:"never" check:"items=0..1000" each:"bytes=1..4096,format=regexp"`
}

// Metrics of the program.
type Metrics struct {
	// Listen is the loopback address, such as `127.0.0.1:9477`, that serves metrics as Prometheus
	// text; empty serves none.
	Listen string `key:"metrics.listen" repository:"never" check:"format=loopback"`
}
