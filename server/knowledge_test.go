package server_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestWorkspaceFacts checks that the facts of a workspace are listed with their evidence and follow
// its files.
func TestWorkspaceFacts(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "main.go": "package main\n\nfunc main() {\n\tprintln()\n}\n"})
	e := servertest.Start(t, servertest.Options{Roots: []string{filepath.Clean(root)}})
	e.AwaitIdle()
	facts := ask[command.WorkspaceFactsResult](t, e, "contexture.knowledge.workspace", args{}).Facts
	if !slices.ContainsFunc(facts, func(f command.WorkspaceFact) bool {
		return f.Kind == "version" && f.Name == "go" && f.Value == "1.25" && len(f.Evidence) == 1 && f.Evidence[0] == command.FactEvidence{Path: "go.mod", Line: 3, Text: "go 1.25"}
	}) {
		t.Errorf("facts %+v", facts)
	}
	for _, f := range facts {
		if len(f.Evidence) == 0 {
			t.Errorf("%s %s has no evidence", f.Kind, f.Name)
		}
	}
}

// TestDigestOverTheWire checks that a rule stored by a person is a preference, and that coverage is
// reported once a run has measured it.
func TestDigestOverTheWire(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, map[string]string{"a.go": "package a\n"})}})
	ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "rule", "text": "Indent billing with tabs."})
	say(t, e, "c", user("How does the scheduler pick a worker for a job of the night?"), assistant("By load."))
	ask[command.ProcessResult](t, e, "contexture.knowledge.process", args{})
	d := ask[command.DigestResult](t, e, "contexture.knowledge.digest", args{})
	if len(d.Preferences) != 1 || d.Preferences[0].Text != "Indent billing with tabs." || d.Preferences[0].State != "confirmed" || d.Preferences[0].Times != 0 {
		t.Errorf("digest %+v", d)
	}
	if c := ask[command.LearningStatus](t, e, "contexture.knowledge.status", args{}).Coverage; c == nil || c.Questions != 1 || c.Answered != 0 {
		t.Errorf("coverage %+v", c)
	}
}

// TestGraph checks that topics, entities and files mentioned in the same turns are connected, that
// the heaviest nodes come first, and that topics and entities have the times of their mentions.
func TestGraph(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, map[string]string{"src/zorbex.go": "package src\n"})}})
	if g := ask[command.GraphResult](t, e, "contexture.knowledge.graph", args{}); len(g.Nodes)+len(g.Edges)+g.Left != 0 {
		t.Errorf("without conversations there is %+v", g)
	}
	for i, text := range []string{
		"PAY-204 says that the zorbex stumbles, see src/zorbex.go.", "Restart zorbex for PAY-204, and look into src/zorbex.go.",
		"Is zorbex awake? PAY-204 is open.", "The zorbex of PAY-204 runs now; src/zorbex.go was it.", "Ask the Glimfeather.", "The Glimfeather is green.", "See Glimfeather.",
	} {
		say(t, e, "c", user(text, "at", fmt.Sprintf("2026-03-%02dT09:00:00Z", 2+2*i)))
	}
	ask[command.ProcessResult](t, e, "contexture.knowledge.process", args{"full": true})
	g := ask[command.GraphResult](t, e, "contexture.knowledge.graph", args{})
	kinds := map[string]string{}
	weights := map[string]float64{}
	for _, n := range g.Nodes {
		if kinds[n.Label] != "" {
			t.Errorf("%s is there as %s and as %s", n.Label, kinds[n.Label], n.Kind)
		}
		kinds[n.Label], weights[n.ID] = n.Kind, n.Weight
		if n.Weight < 0 || n.Weight > 1 || n.TurnCount == 0 || (n.Kind == "file") != (n.Trend == "") {
			t.Errorf("the node is %+v", n)
		}
	}
	if kinds["PAY-204"] != "ticket" || kinds["zorbex"] != "topic" || kinds["src/zorbex.go"] != "file" || g.Left != 0 {
		t.Fatalf("the nodes are %+v", g.Nodes)
	}
	if !slices.IsSortedFunc(g.Nodes, func(a, b command.GraphNode) int { return int(1e6 * (b.Weight - a.Weight)) }) {
		t.Errorf("the heaviest do not come first: %+v", g.Nodes)
	}
	id := func(label string) string {
		return g.Nodes[slices.IndexFunc(g.Nodes, func(n command.GraphNode) bool { return n.Label == label })].ID
	}
	together := func(a, b string) int {
		for _, edge := range g.Edges {
			if edge.From == id(a) && edge.To == id(b) || edge.From == id(b) && edge.To == id(a) {
				if weights[edge.From] < weights[edge.To] {
					t.Errorf("%+v begins at the lighter node", edge)
				}
				return edge.Weight
			}
		}
		return 0
	}
	for pair, want := range map[[2]string]int{
		{"zorbex", "PAY-204"}: 4, {"src/zorbex.go", "PAY-204"}: 3, {"src/zorbex.go", "zorbex"}: 3, {"Glimfeather", "zorbex"}: 0,
	} {
		if got := together(pair[0], pair[1]); got != want {
			t.Errorf("%v come up together in %d turns, want %d", pair, got, want)
		}
	}
	few := ask[command.GraphResult](t, e, "contexture.knowledge.graph", args{"limit": 2})
	if len(few.Nodes) != 2 || few.Left != len(g.Nodes)-2 || !slices.Equal(few.Nodes, g.Nodes[:2]) || len(few.Edges) > 1 {
		t.Errorf("of two nodes there is %+v", few)
	}
	refused(t, e, "contexture.knowledge.graph", args{"limit": 201}, "limit", "")

	topics := ask[command.TopicsResult](t, e, "contexture.knowledge.topics", args{})
	for _, topic := range topics.Topics {
		if topic.Topic == "zorbex" && !slices.Equal(topic.History[10:], []int{4, 0}) {
			t.Errorf("zorbex came up in the weeks %v", topic.History)
		}
	}
	entities := ask[command.EntitiesResult](t, e, "contexture.knowledge.entities", args{})
	if len(entities.Entities) == 0 || len(entities.Entities[0].History) != 12 || topics.HistoryWeek == nil || *topics.HistoryWeek != *entities.HistoryWeek ||
		topics.HistoryWeek.Format("2006-01-02") != "2026-03-09" {
		t.Errorf("the weeks end at %v and %v, entities %+v", topics.HistoryWeek, entities.HistoryWeek, entities.Entities)
	}
}

// TestPutScope checks that an item's scope is stored, listed, and kept when the item is replaced by
// one without a scope.
func TestPutScope(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	put := func(id string, scope any) string {
		a := args{"kind": "rule", "id": id, "title": "Tabs", "content": "Always indent with tabs.", "topics": []string{}, "keywords": []string{}}
		if id == "" {
			delete(a, "id")
		}
		if scope != nil {
			a["scope"] = scope
		}
		return ask[command.KnowledgeItemResult](t, e, "contexture.knowledge.put", a).Item.Scope
	}
	for _, id := range []string{"r1", ""} {
		for i, step := range []struct {
			scope any
			want  string
		}{{nil, ""}, {"src/a.lua, indent", "src/a.lua, indent"}, {nil, "src/a.lua, indent"}, {"", ""}} {
			if got := put(id, step.scope); got != step.want {
				t.Errorf("id %q, step %d: the scope is %q, want %q", id, i, got, step.want)
			}
		}
		put(id, "src/b.lua")
	}
	for _, it := range ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{"kind": "rule"}).Items {
		if it.Scope != "src/b.lua" {
			t.Errorf("listed is %+v", it)
		}
	}
	refused(t, e, "contexture.knowledge.put", args{"kind": "rule", "title": "t", "content": "c", "topics": []string{}, "keywords": []string{}, "scope": 7}, "scope", "")
}
