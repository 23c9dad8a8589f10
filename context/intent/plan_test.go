package intent

import (
	"slices"
	"testing"
)

func limits(p Plan) map[string]int {
	m := map[string]int{}
	for _, q := range p.Queries {
		m[q.Type] = q.Limit
	}
	return m
}

func TestPlanFor(t *testing.T) {
	tests := []struct {
		name    string
		signals Signals
		want    map[string]int // limits of the memory types; 0 is not queried
		budget  map[string]int
	}{
		{"no hints", Signals{Frame: Task}, map[string]int{"decision": 5, "fact": 5, "procedure": 5, "episode": 5}, map[string]int{}},
		{"dominant", Signals{Frame: Question, Hints: map[string]float64{"procedure": 1, "fact": .5}},
			map[string]int{"decision": 3, "fact": 3, "procedure": 8, "episode": 3}, map[string]int{}},
		{"tie goes to the first", Signals{Frame: Question, Hints: map[string]float64{"episode": .5, "decision": .5}},
			map[string]int{"decision": 8, "fact": 3, "procedure": 3, "episode": 3}, map[string]int{}},
		{"decision", Signals{Frame: Decision}, map[string]int{"decision": 5, "fact": 5, "procedure": 5, "episode": 5},
			map[string]int{"decision": 3500, "procedure": 2000}},
		{"conversation", Signals{Frame: Conversation}, map[string]int{"decision": 5, "fact": 5, "procedure": 0, "episode": 0},
			map[string]int{"decision": 500, "fact": 500, "procedure": 0, "episode": 0}},
		{"conversation about the past", Signals{Frame: Conversation, Hints: map[string]float64{"episode": 1}},
			map[string]int{"decision": 3, "fact": 3, "procedure": 0, "episode": 8},
			map[string]int{"decision": 500, "fact": 500, "procedure": 0}},
		{"unknown frame", Signals{Frame: "?"}, map[string]int{"decision": 5, "fact": 5, "procedure": 5, "episode": 5}, map[string]int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := PlanFor(tt.signals)
			got := limits(p)
			for kind, want := range tt.want {
				if got[kind] != want {
					t.Errorf("%s: limit %d, want %d", kind, got[kind], want)
				}
				if want == 0 != slices.Contains(p.Skip, kind) {
					t.Errorf("%s: skip %q", kind, p.Skip)
				}
			}
			if len(p.Budget) != len(tt.budget) {
				t.Errorf("budget %v, want %v", p.Budget, tt.budget)
			}
			for kind, want := range tt.budget {
				if p.Budget[kind] != want {
					t.Errorf("budget of %s %d, want %d", kind, p.Budget[kind], want)
				}
			}
			for _, kind := range []string{"code", "doc", "lesson", "reference"} {
				if got[kind] == 0 {
					t.Errorf("%s is not queried", kind)
				}
			}
			if !p.Retrieve {
				t.Error("retrieves nothing")
			}
		})
	}
}

func TestPlanForSmallTalk(t *testing.T) {
	for _, s := range []Signals{{Frame: Conversation, Greeting: true}, {Frame: Task, Acknowledgement: true}} {
		p := PlanFor(s)
		if p.Retrieve || len(p.Queries) != 0 || len(p.Skip) != len(allTypes) || len(p.Budget) != len(allTypes) {
			t.Errorf("%+v gives %+v", s, p)
		}
		if p.Window != s.Frame.Window() {
			t.Errorf("window %d", p.Window)
		}
	}
}

func TestPlanCarriesRecency(t *testing.T) {
	for _, q := range PlanFor(Signals{Frame: Debug, Recency: 0.8}).Queries {
		if q.Recency != 0.8 {
			t.Errorf("%s: recency %v", q.Type, q.Recency)
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
		if _, ok := framePlans[f]; !ok || !slices.Contains(priority, f) {
			t.Errorf("%s has no plan or no priority", f)
		}
	}
}
