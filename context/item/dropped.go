package item

// DropReason is why something is not in an answer.
type DropReason string

// The reasons of dropping. Those of files have the names of the index reader's gates.
const (
	Duplicate      DropReason = "duplicate"   // the same is shown elsewhere
	Redundant      DropReason = "redundant"   // most of it is shown elsewhere
	OverBudget     DropReason = "budget"      // it does not fit
	BelowThreshold DropReason = "threshold"   // not relevant enough
	Outdated       DropReason = "stale"       // its file changed, and the chunk was not found again
	OutsideRoot    DropReason = "outsideRoot" // a link leads out of the workspace
	Binary         DropReason = "binary"
	Excluded       DropReason = "excluded"   // by the caller, or by the ignore rules
	Filtered       DropReason = "filtered"   // a model removed it
	Superseded     DropReason = "superseded" // something newer replaced it
)

// Omission is a candidate that was left out.
type Omission struct {
	ID     string
	Kind   Kind
	Reason DropReason
	// Score is the probability that it would have helped; 0 when unknown.
	Score float64
	// Needed is the probability that it would have needed; 0 when it is out for another reason.
	Needed float64
	Title  string
	// Tokens is the size of its item, an estimate for a place that was not read; 0 when unknown.
	Tokens int
	Path   string // relative to the root; "" unless it is a place in the workspace
	URI    string // if it is outside the root
	// StartLine and EndLine are those of a place, from 0, inclusive.
	StartLine, EndLine int
}
