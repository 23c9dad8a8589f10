package command

// ImpactArgs asks what a change of the workspace concerns.
type ImpactArgs struct {
	Scope
	// Revision that made the change: a commit, compared with its first parent; `A..B`, which
	// compares B with A; or `A...B`, which compares B with where it left A. When absent, the
	// working tree is compared with HEAD: staged or not, with the editor's unsaved texts and with
	// files that are not added yet.
	Revision string `json:"revision,omitempty" check:"chars=1..500"`
	// Depth of the callers: 2 also lists what calls the callers.
	Depth int `json:"depth,omitempty" check:"default=2,min=1,max=4"`
	// Limit of each list.
	Limit int `json:"limit,omitempty" check:"default=20,min=1,max=200"`
	// DeadlineMS bounds the whole command, in milliseconds.
	DeadlineMS int `json:"deadlineMs,omitempty" check:"default=1000,min=50,max=60000"`
}

// ImpactResult points at what a change concerns; each list has what it concerns most first.
type ImpactResult struct {
	// From is the commit that is compared with, absent where the change began the history.
	From string `json:"from,omitempty"`
	// To is the commit that made the change, absent for the working tree.
	To string `json:"to,omitempty"`
	// Files that changed.
	Files []ImpactFile `json:"files"`
	// Definitions that the change touched, added or removed.
	Definitions []ImpactPlace `json:"definitions"`
	// Callers are the functions and types that call or use these, tests left out, near ones first.
	Callers []ImpactPlace `json:"callers"`
	// Implementations of a touched type, and methods that override a touched one.
	Implementations []ImpactPlace `json:"implementations"`
	// Tests to run: files of tests that changed themselves, then the most probable first.
	Tests []ImpactPlace `json:"tests"`
	// Documents that name a touched definition or a changed file.
	Documents []ImpactPlace `json:"documents"`
	// Settings that name a touched definition or a changed file: files of data that configure the
	// program, its build or its checks.
	Settings []ImpactPlace `json:"settings"`
	// Statements are the active rules, decisions and lessons about the changed files.
	Statements []ImpactStatement `json:"statements"`
	// More counts what the limit left out.
	More ImpactMore `json:"more"`
	// Degraded lists what the answer lacks.
	Degraded []Degradation `json:"degraded"`
	// Versions that were searched.
	Versions Versions `json:"versions"`
}

// ImpactFile is a changed file.
type ImpactFile struct {
	// Path relative to the root.
	Path string `json:"path"`
	// Change of the file.
	Change string `json:"change" check:"enum=changed|added|removed"`
}

// ImpactPlace points at something that a change concerns.
type ImpactPlace struct {
	// Path relative to the root.
	Path string `json:"path"`
	// URI of the document.
	URI string `json:"uri"`
	// Range in the document as it is now; absent for a whole file, and for what is gone.
	Range *Range `json:"range,omitempty"`
	// Name of the definition, with its container; of a document the name that it has.
	Name string `json:"name,omitempty"`
	// Kind of definition, such as `function`.
	Kind string `json:"kind,omitempty"`
	// Why it is listed, in words.
	Why string `json:"why"`
}

// ImpactStatement is what somebody stated about a changed file.
type ImpactStatement struct {
	ActStatement
	// Path of the changed file.
	Path string `json:"path"`
}

// ImpactMore counts what the limit left out.
type ImpactMore struct {
	// Files left out.
	Files int `json:"files"`
	// Definitions left out.
	Definitions int `json:"definitions"`
	// Callers left out.
	Callers int `json:"callers"`
	// Implementations left out.
	Implementations int `json:"implementations"`
	// Tests left out.
	Tests int `json:"tests"`
	// Documents left out.
	Documents int `json:"documents"`
	// Settings left out.
	Settings int `json:"settings"`
	// Statements left out.
	Statements int `json:"statements"`
	// AtLeast is true when not everything was searched, so that there may be more.
	AtLeast bool `json:"atLeast,omitempty"`
}
