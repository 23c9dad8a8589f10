package intent

// Plan is what to retrieve. How many items of which kind, and their share of the budget, depends on
// how probably each item helps, whatever the frame.
type Plan struct {
	Retrieve bool // false: nothing is retrieved
	Window   int  // turns of conversation to deduplicate against
}

// PlanFor returns the plan for signals. A greeting and an acknowledgement retrieve nothing.
func PlanFor(s Signals) Plan {
	return Plan{Retrieve: !s.Greeting && !s.Acknowledgement, Window: s.Frame.Window()}
}
