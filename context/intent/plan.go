package intent

// Plan says what to retrieve. How many of which kind, and how much of the budget they may take, is
// decided by how probably each item helps, whatever the frame is.
type Plan struct {
	Retrieve bool // false: nothing is retrieved at all
	Window   int  // turns of conversation to deduplicate against
}

// PlanFor maps signals to a plan. A greeting and an acknowledgement retrieve nothing.
func PlanFor(s Signals) Plan {
	return Plan{Retrieve: !s.Greeting && !s.Acknowledgement, Window: s.Frame.Window()}
}
