package impact

import (
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// NameFeature and TogetherFeature are the inputs that rank tests by their names alone, and by the
// history alone.
const (
	NameFeature     = likeName
	TogetherFeature = togetherLate
)

// fitted is the model that go run ./cmd/train impact wrote.
//
//go:embed fitted.bin
var fitted []byte

var model = sync.OnceValue(func() *rank.Model {
	m, err := rank.Load(fitted, NumFeatures)
	if err != nil {
		panic(err) // a test checks the file
	}
	return m
})

// testCandidate is a test that a change may concern.
type testCandidate struct {
	Evidence
	chance float64
}

// judge returns the tests that a change concerns, the most probable first.
func judge(list []Evidence) (out []testCandidate) {
	for _, e := range list {
		if chance := model().Probability(e.Features[:]); chance >= LeastTest {
			out = append(out, testCandidate{e, chance})
		}
	}
	slices.SortStableFunc(out, func(a, b testCandidate) int { return cmp.Compare(b.chance, a.chance) })
	return out[:min(MostTests, len(out))]
}

// why returns what speaks most for a test.
func (e *Evidence) why() string {
	var parts []string
	if e.Features[likeName] >= distinctName {
		parts = append(parts, "is named like "+path.Base(e.Like))
	}
	if like := e.Features[likeUser]; like >= distinctName && like > e.Features[likeName] {
		parts = append(parts, "is named like "+path.Base(e.LikeUser)+", which uses what changed")
	}
	if len(e.Uses) > 0 {
		parts = append(parts, "uses "+strings.Join(e.Uses, ", "))
	}
	if e.Together > 0 {
		parts = append(parts, fmt.Sprintf("changed in %d of %d commits of %s", e.Together, e.Of, path.Base(e.With)))
	}
	if len(parts) == 0 {
		if e.Features[refersFile] > 0 {
			return "uses other definitions of the changed files"
		}
		if e.Features[togetherDir] > 0 {
			return "changed with files of the same folder"
		}
		return "has words of the changed lines"
	}
	return strings.Join(parts, "; ")
}
