package impact

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// The inputs of the model that judges whether a test is to be run, in order.
const (
	likeName      = iota // likeness of its name to a changed file's, by rare words
	likeRare             // how rare the common words are
	likePath             // the same likeness of the paths
	likeFolder           // share of the folders in common
	likeUser             // likeness of its name to a file that uses what changed
	refersTouched        // to names that changed: sum of their rarities
	shareTouched         // share of the rarities
	refersFile           // to other names of changed files
	shareFile
	togetherMost  // how often it changed when a changed file did, the most of all
	togetherAny   // probability that one of the changed files takes it along
	togetherLate  // the same as togetherMost, newer commits counting more
	togetherOf    // how often a changed file changed when it did
	togetherCount // in how many commits
	togetherDir   // how often it changed when a folder of a changed file did
	ownRate       // how often it changed
	ownAge        // commits since then
	wordsPiece    // of the changed lines in one piece of it, relative to the best test
	wordsFile     // in all of it
	pieceCount    // pieces of the test
	testCount     // tests of the workspace
	fileCount     // changed files
	nameCount     // changed names
	bestName      // likeName relative to the best test
	bestRefers    // refersTouched relative to the best test
	bestTogether  // togetherLate relative to the best test
	NumFeatures
)

// Evidence is what speaks for running a test.
type Evidence struct {
	File     int
	Path     string
	Features [NumFeatures]float32

	Uses     []string // names that changed, the rarest first
	Like     string   // the changed file whose name is like its own
	LikeUser string   // the file that uses what changed and has such a name
	With     string   // the changed file with which it changed most often
	Together int      // in so many commits
	Of       int      // of so many that changed that file
}

// gathering collects the evidence for all tests of a workspace.
type gathering struct {
	s       *indexer.Snapshot
	changed []File // without tests
	list    []Evidence
	at      map[int]int    // index into list by file
	byPath  map[string]int // the same by path
	parts   map[string]float64
	all     int   // live files
	users   []int // files, other than tests, that use what changed, the most of it first
}

// Gather returns the evidence for the tests of a workspace, in the order of their paths; not for
// those for which nothing speaks. Changed tests are no evidence.
func Gather(ctx context.Context, s *indexer.Snapshot, changed []File) []Evidence {
	g := &gathering{s: s, at: map[int]int{}, byPath: map[string]int{}, parts: map[string]float64{}}
	for _, f := range changed {
		if !f.isTest() {
			g.changed = append(g.changed, f)
		}
	}
	g.survey()
	if len(g.list) == 0 || len(g.changed) == 0 {
		return nil
	}
	g.references(ctx)
	g.names(ctx)
	g.history()
	g.words(ctx)
	g.finish()
	return g.list
}

// survey finds the tests, and how rare each word of a path is.
func (g *gathering) survey() {
	g.s.Paths(func(file int, p string) {
		g.all++
		if retrieve.IsTestCode(p, g.s.Language(file)) {
			g.list = append(g.list, Evidence{File: file, Path: p})
		}
		for _, part := range partsOf(p) {
			g.parts[part]++
		}
	})
	slices.SortFunc(g.list, func(a, b Evidence) int { return strings.Compare(a.Path, b.Path) })
	for i := range g.list {
		g.at[g.list[i].File], g.byPath[g.list[i].Path] = i, i
	}
}

// set raises a feature to at least a value.
func (e *Evidence) set(feature int, value float64) bool {
	if float32(value) <= e.Features[feature] {
		return false
	}
	e.Features[feature] = float32(value)
	return true
}

// maxQueryBytes bounds the changed lines whose words are searched for.
const maxQueryBytes = 16 << 10

// words notes how well the words of the changed lines match the tests.
func (g *gathering) words(ctx context.Context) {
	var b strings.Builder
	for _, f := range g.changed {
		b.WriteString(stemOf(f.Path) + "\n")
		for _, line := range f.Lines {
			if b.Len()+len(line) < maxQueryBytes {
				b.WriteString(line + "\n")
			}
		}
	}
	p := lexical.Params{K1: saturated, B: shortened}
	scores, err := g.s.Words().Score(ctx, lexical.Query([]byte(b.String())), p, p)
	if err != nil {
		return // ctx has ended
	}
	defer g.s.Words().Release(scores)
	for i := range g.list {
		e := &g.list[i]
		first, end := g.s.FileChunks(e.File)
		for c := first; c < end; c++ {
			e.set(wordsPiece, float64(scores.Doc[c]))
			e.Features[wordsFile] += scores.Doc[c]
		}
		e.Features[pieceCount] = float32(math.Log1p(float64(end - first)))
	}
}

// finish relates the evidence to that for other tests, and drops tests that have none.
func (g *gathering) finish() {
	best := [NumFeatures]float32{}
	names := 0
	for _, f := range g.changed {
		for _, touched := range f.names {
			if touched {
				names++
			}
		}
	}
	for _, e := range g.list {
		for k, v := range e.Features {
			best[k] = max(best[k], v)
		}
	}
	of := func(v, most float32) float32 { return ratio(v, float64(most)) }
	all := float64(len(g.list))
	kept := g.list[:0]
	for _, e := range g.list {
		f := &e.Features
		f[bestName], f[bestRefers], f[bestTogether] = of(f[likeName], best[likeName]), of(f[refersTouched], best[refersTouched]), of(f[togetherLate], best[togetherLate])
		f[wordsPiece], f[wordsFile] = of(f[wordsPiece], best[wordsPiece]), of(f[wordsFile], best[wordsFile])
		f[refersTouched], f[refersFile] = float32(math.Log1p(float64(f[refersTouched]))), float32(math.Log1p(float64(f[refersFile])))
		f[testCount], f[fileCount], f[nameCount] = float32(math.Log(all)), float32(math.Log(float64(len(g.changed)))), float32(math.Log1p(float64(names)))
		if f[refersTouched]+f[refersFile]+f[togetherMost]+f[togetherDir] > 0 || max(f[likeName], f[likeUser]) > leastLike || f[wordsPiece] > leastWords {
			kept = append(kept, e)
		}
	}
	g.list = kept
}
