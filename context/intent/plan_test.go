package intent

import (
	"slices"
	"testing"
)

func TestPlanFor(t *testing.T) {
	for _, tt := range []struct {
		name    string
		signals Signals
		want    Plan
	}{
		{"task", Signals{Frame: Task}, Plan{Retrieve: true, Window: 5}},
		{"debug", Signals{Frame: Debug}, Plan{Retrieve: true, Window: 6}},
		{"unknown frame", Signals{Frame: "?"}, Plan{Retrieve: true, Window: 5}},
		{"greeting", Signals{Frame: Conversation, Greeting: true}, Plan{Window: 3}},
		{"acknowledgement", Signals{Frame: Task, Acknowledgement: true}, Plan{Window: 5}},
	} {
		if got := PlanFor(tt.signals); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestWindow(t *testing.T) {
	want := map[Frame]int{Conversation: 3, Question: 5, Task: 5, Decision: 8, Creative: 4, Debug: 6, "?": 5}
	for f, n := range want {
		if f.Window() != n {
			t.Errorf("%s: window %d, want %d", f, f.Window(), n)
		}
	}
	for f := range windows {
		if !slices.Contains(priority, f) {
			t.Errorf("%s has no priority", f)
		}
	}
}
