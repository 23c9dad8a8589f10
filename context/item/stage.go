package item

import "time"

// StageName is the name of a step in making an answer.
type StageName string

// The steps of a bundle, in their order. An answer that is not a bundle has some of them.
const (
	Classify  StageName = "classify"
	Keyword   StageName = "keyword"
	Vector    StageName = "vector"
	Filter    StageName = "filter"
	Judge     StageName = "judge"
	Dedup     StageName = "dedup"
	Negotiate StageName = "negotiate"
	Assemble  StageName = "assemble"
)

// Memory is the stage of a [Degradation] when memory could not be read. It is not a step of its
// own.
const Memory StageName = "memory"

// Stages lists the steps of a bundle in their order.
var Stages = [...]StageName{Classify, Keyword, Vector, Filter, Judge, Dedup, Negotiate, Assemble}

// Outcome is how a step ended.
type Outcome string

// The outcomes of a step.
const (
	OK       Outcome = "ok"
	Partial  Outcome = "partial"  // some of the work is missing
	TimedOut Outcome = "timeout"  // nothing came in time
	Failed   Outcome = "error"    // nothing came for another reason
	Skipped  Outcome = "skipped"  // there was nothing to do
	Fallback Outcome = "fallback" // something simpler was used instead
)

// Stage describes one completed step of an answer.
type Stage struct {
	Name    StageName
	Took    time.Duration
	Outcome Outcome
	Count   int // candidates or items after the step
}

// Reason is why an answer is degraded, for callers to act on.
type Reason string

// The reasons of a degradation.
const (
	Timeout      Reason = "timeout"
	Unreachable  Reason = "unreachable"
	ModelMissing Reason = "modelMissing"
	BadAnswer    Reason = "badAnswer"
	Overloaded   Reason = "overloaded"
	Indexing     Reason = "indexing" // the index is behind the disk
	Stale        Reason = "stale"    // something changed since it was indexed, or exists no longer
	Error        Reason = "error"
)

// Degradation is what an answer lacks, and why.
type Degradation struct {
	Stage  StageName
	Reason Reason
	Detail string // for a person; may be empty
}
