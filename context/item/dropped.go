package item

// DropReason tells why something is not in an answer.
type DropReason string

// The reasons of dropping. Those of files are the gates of the index's reader, which have the same
// names.
const (
	Duplicate      DropReason = "duplicate"   // the same is shown elsewhere
	Redundant      DropReason = "redundant"   // most of it is shown elsewhere
	OverBudget     DropReason = "budget"      // there is no room for it
	BelowThreshold DropReason = "threshold"   // not relevant enough
	Outdated       DropReason = "stale"       // its file changed, and it was not found again
	OutsideRoot    DropReason = "outsideRoot" // a link leads out of the workspace
	Binary         DropReason = "binary"
	Excluded       DropReason = "excluded"   // by the caller, or by the ignore rules
	Filtered       DropReason = "filtered"   // a model took it out
	Superseded     DropReason = "superseded" // something newer replaced it
)

// Dropped is a candidate that was left out.
type Dropped struct {
	ID     string
	Kind   Kind
	Reason DropReason
	// Score is the probability that it would have helped; 0 where that is not known.
	Score float64
	Title string
	// Tokens is what an item of it would take, an estimate for a place that was not read; 0 where
	// that is not known.
	Tokens int
	Path   string // relative to the root; "" for what is no place in the workspace
	URI    string // for what lies outside the root
	// StartLine and EndLine are those of a place, from 0, inclusive.
	StartLine, EndLine int
}
