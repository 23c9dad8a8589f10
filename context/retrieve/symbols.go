package retrieve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
)

// searchSymbols answers mode symbol: definitions whose name contains the query, exact matches and
// short names first.
func searchSymbols(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) Result {
	start := now()
	type found struct {
		indexer.Symbol
		score float64
	}
	query := strings.TrimSpace(req.Query)
	container := ""
	if i := strings.LastIndexAny(query, ".:#"); i > 0 {
		container, query = strings.Trim(query[:i], ".:#*&() "), query[i+1:]
	}
	var all []found
	err := s.Symbols().Containing(ctx, query, func(y indexer.Symbol) bool {
		if req.Keep == nil || req.Keep(y.Path, s.Language(y.File)) {
			score := float64(len(query)) / float64(len(y.Name))
			if y.Name == query {
				score++
			}
			if container != "" && strings.Contains(y.Container+" "+y.Path, container) {
				score++
			}
			all = append(all, found{y, score * req.factor(y.Path, s.Language(y.File))})
		}
		return len(all) < 50_000
	})
	slices.SortStableFunc(all, func(a, b found) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	var out Result
	seen := map[int]bool{}
	for _, f := range all {
		id, ok := s.ChunkAt(f.File, f.Line)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		out.Candidates = append(out.Candidates, &item.Item{Chunk: id, Score: f.score, Named: f.Name == query,
			Signals: map[string]item.Signal{"symbol": {Rank: len(out.Candidates) + 1, Score: f.score}}, Reasons: []string{"defines " + f.Name}})
		if len(out.Candidates) == req.Limit {
			break
		}
	}
	st := item.Stage{Name: item.Keyword, Took: now().Sub(start), Outcome: item.OK, Count: len(all)}
	if err != nil {
		st.Outcome = item.Partial
		out.Degraded = append(out.Degraded, item.Degradation{Stage: item.Keyword, Reason: item.Timeout})
	}
	out.Stages = append(out.Stages, st)
	return out
}
