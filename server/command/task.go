package command

// TaskCompleteArgs records a completed task.
type TaskCompleteArgs struct {
	Scope
	// TaskID of the task.
	TaskID string `json:"taskId" check:"required,chars=1..200,format=id"`
	// Intent of the task.
	Intent string `json:"intent,omitempty" check:"bytes=0..65536"`
	// RequiresContext means that later tasks need to know about it: a summary is stored.
	RequiresContext bool `json:"requiresContext,omitempty"`
	// Validation of the outcome.
	Validation *Validation `json:"validation,omitempty"`
	// At is when it was completed; now when absent.
	At *Time `json:"at,omitempty"`
}

// Validation is the outcome of a task.
type Validation struct {
	// Success of the task.
	Success bool `json:"success" check:"required"`
	// Notes on the outcome.
	Notes string `json:"notes,omitempty" check:"bytes=0..65536"`
}

// TaskBlockArgs records what blocks a task.
type TaskBlockArgs struct {
	Scope
	// TaskID of the task.
	TaskID string `json:"taskId" check:"required,chars=1..200,format=id"`
	// Reason that it is blocked.
	Reason string `json:"reason" check:"required,bytes=1..65536"`
	// At is when it was blocked; now when absent.
	At *Time `json:"at,omitempty"`
}

// TaskUnblockArgs names a blocked task.
type TaskUnblockArgs struct {
	Scope
	// TaskID of the task.
	TaskID string `json:"taskId" check:"required,chars=1..200,format=id"`
}

// TaskResult holds the task after the change.
type TaskResult struct {
	// Task after the change.
	Task Task `json:"task"`
}

// Task is a piece of work with its state.
type Task struct {
	// TaskID of the task.
	TaskID string `json:"taskId"`
	// State of the task.
	State string `json:"state" check:"enum=completed|blocked|unblocked"`
	// Intent of the task.
	Intent string `json:"intent,omitempty"`
	// Summary of a completed task that later ones need to know about.
	Summary string `json:"summary,omitempty"`
	// Success of a completed task, when it was validated.
	Success *bool `json:"success,omitempty"`
	// Reason that a task is, or was, blocked.
	Reason string `json:"reason,omitempty"`
	// At is when it entered this state.
	At Time `json:"at"`
}

// TaskListArgs asks for tasks.
type TaskListArgs struct {
	Scope
	// Limit of completed tasks; all blockers are listed.
	Limit int `json:"limit,omitempty" check:"default=100,min=1,max=100"`
}

// TaskListResult lists tasks.
type TaskListResult struct {
	// Completed tasks, newest first.
	Completed []CompletedTask `json:"completed"`
	// Blockers that are active, newest first.
	Blockers []Blocker `json:"blockers"`
}

// CompletedTask is a completed task.
type CompletedTask struct {
	// TaskID of the task.
	TaskID string `json:"taskId"`
	// Intent of the task.
	Intent string `json:"intent,omitempty"`
	// Summary of the task, where later ones need to know about it.
	Summary string `json:"summary,omitempty"`
	// Success of the task, when it was validated.
	Success *bool `json:"success,omitempty"`
	// At is when it was completed.
	At Time `json:"at"`
}

// Blocker is what keeps a task from proceeding.
type Blocker struct {
	// TaskID of the task.
	TaskID string `json:"taskId"`
	// Reason that it is blocked.
	Reason string `json:"reason"`
	// At is when it was blocked.
	At Time `json:"at"`
}
