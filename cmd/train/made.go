package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// Phrasings of questions for a definition and for the users of a name. %s is the name.
var (
	definitionForms = []string{"where is %s defined", "%s", "what does %s do?", "show me %s", "how does %s work", "where is %s implemented?", "definition of %s", "explain %s"}
	useForms        = []string{"who calls %s", "where is %s called?", "what uses %s", "callers of %s", "where is %s used?", "which code calls %s?"}
)

const (
	madeMost     = 30 // questions of each kind per workspace
	meaningsMost = 2  // maximum number of definitions of a name in a question
	usesLeast    = 1
	usesMost     = 12
)

// made generates questions from a workspace's own names: where they are defined, and what uses
// them.
func made(ctx context.Context, s *indexer.Snapshot, from question) []question {
	type named struct {
		name string
		key  uint32
	}
	var names []named
	seen := map[string]bool{}
	_ = s.Symbols().Containing(ctx, "", func(y indexer.Symbol) bool {
		if !seen[y.Name] && len(y.Name) > 2 && askable(y) {
			seen[y.Name] = true
			names = append(names, named{y.Name, hash(from.Repo, y.Name)})
		}
		return true
	})
	slices.SortFunc(names, func(a, b named) int { return int(int64(a.key) - int64(b.key)) })
	var out []question
	defined, used := 0, 0
	for _, n := range names {
		answer := retrieve.LookUp(ctx, s, retrieve.SymbolQuery{Name: n.name, Limit: 40})
		if len(answer.Definitions) == 0 || len(answer.Definitions) > meaningsMost || answer.MoreDefinitions > 0 {
			continue
		}
		if retrieve.IsTest(answer.Definitions[0].Path) {
			continue
		}
		if defined < madeMost {
			q := question{ID: fmt.Sprint(from.Repo, ":definition:", n.name), Repo: from.Repo, Root: from.Root, kind: "definition",
				Query: fmt.Sprintf(definitionForms[int(n.key>>8)%len(definitionForms)], n.name)}
			for _, d := range answer.Definitions {
				q.Ranges = append(q.Ranges, fileRange{within(from.Root, d.Path), d.Line + 1, d.Line + 1})
				q.GoldFiles = append(q.GoldFiles, within(from.Root, d.Path))
			}
			out = append(out, q)
			defined++
		}
		calls := 0
		q := question{ID: fmt.Sprint(from.Repo, ":use:", n.name), Repo: from.Repo, Root: from.Root, kind: "use",
			Query: fmt.Sprintf(useForms[int(n.key>>8)%len(useForms)], n.name)}
		for _, o := range answer.Occurrences {
			if o.Calls && o.Chance == 1 && !retrieve.IsTest(o.Path) {
				q.Ranges = append(q.Ranges, fileRange{within(from.Root, o.Path), o.Line + 1, o.Line + 1})
				calls++
			}
		}
		if calls >= usesLeast && calls <= usesMost && used < madeMost {
			out = append(out, q)
			used++
		}
		if defined >= madeMost && used >= madeMost {
			break
		}
	}
	return out
}

func within(root, path string) string { return strings.Trim(root+"/"+path, "/") }

// askable reports whether people ask for such a definition: a function or a type, not a local
// constant.
func askable(y indexer.Symbol) bool {
	switch y.Kind {
	case "", "key", "section", "stage", "target", "field", "property", "resource", "variable", "heading":
		return false
	}
	return true
}
