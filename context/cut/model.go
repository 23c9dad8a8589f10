package cut

import (
	"bytes"
	_ "embed"
	"math"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// The inputs of the model for a line. The model depends on their order: after a change it must be
// fitted again (go run ./cmd/train lines). What begins with own, next, near and around is the share
// of the question's words in the line, in it and the lines beside it, and in up to 3 and 8 lines on
// either side. "Local" shares weigh words by how rare they are in the file besides.
const (
	fPlace  = iota // log odds that the place helps
	fFile          // those of the best place of the file
	fRank          // logarithm of the place's rank
	fPiece         // its rank among the places of the file
	fInFile        // its probability, relative to the best place's of the file
	fOwn
	fNext
	fNear
	fAround
	fOwnLocal
	fNextLocal
	fNearLocal
	fAroundLocal
	fAll // words in the place
	fAllLocal
	fSignature // words in the line with the name of the innermost definition
	fSignatureLocal
	fWithin // words in the part of that definition that is in the place
	fWithinLocal
	fLength     // logarithm of that definition's number of lines
	fBegins     // it is the definition's first line
	fOutside    // it is in no definition
	fRarest     // the largest local share of one of its words
	fFresh      // local share of the words that no line of the place above it has
	fOpens      // the next line is indented more
	fCloses     // the next line is indented less
	fComment    // it is a comment
	fBlank      // it has nothing but brackets
	fText       // it has a quotation mark
	fCalls      // it has a bracket after something
	fAssigns    // it has an assignment
	fCompares   // it has a comparison or a logical operator
	fIndent     // bytes of white space before it, up to mostIndent
	fTest       // it is in a test
	fBestLocal  // the largest local share of a line of the place
	fOfBest     // its local share relative to that
	fOfFile     // its local share relative to the largest of the file's places
	fBytes      // logarithm of its size
	fOwnComment // own of a comment
	fCommitted  // what the commits say of it, of the lines within 3 and 8 of it at most, and of the place
	fCommittedNear
	fCommittedAround
	fCommittedPlace
	fLike // how much the line says the same as the question, and the means of the lines within 3 and 8 of it
	fLikeNear
	fLikeAround
	fLikeWithin // the mean of the part of that definition that is in the place
	fLikePlace  // the mean of the place
	fLikeOfBest // that of the line, relative to the largest of the place
	numFeatures
)

// NumFeatures is the number of inputs of the model.
const NumFeatures = numFeatures

const (
	mostIndent             = 32
	mostPieces             = 8
	nearLines, aroundLines = 3, 8
)

// Features are the inputs of the model for one line.
type Features [NumFeatures]float32

// fitted is the model that go run ./cmd/train lines wrote.
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

// examine fills in the inputs for each line of a part. best is the largest local share of a line of
// the file's parts.
func (p *Part) examine(best float64) []Features {
	out := make([]Features, len(p.words))
	shared := p.shared()
	seen, likest := Words(0), slices.Max(p.likes)
	for i, words := range p.words {
		x := &out[i]
		*x = shared
		n := p.in.First + i
		for k, reach := range []int{0, 1, nearLines, aroundLines} {
			in := p.within(i-reach, i+reach)
			x[fOwn+k], x[fOwnLocal+k] = float32(p.share.of(in)), float32(p.local.of(in))
		}
		x[fRarest], x[fFresh] = float32(p.local.most(words)), float32(p.local.of(words&^seen))
		seen |= words
		if best > 0 {
			x[fOfFile] = x[fOwnLocal] / float32(best)
		}
		if p.best > 0 {
			x[fOfBest] = x[fOwnLocal] / float32(p.best)
		}
		for k, reach := range []int{0, nearLines, aroundLines} {
			x[fCommitted+k] = float32(p.committed(n-reach, n+reach))
			x[fLike+k] = p.likeness(i-reach, i+reach)
		}
		if likest > 0 {
			x[fLikeOfBest] = p.likes[i] / likest
		}
		p.define(x, i)
		p.describe(x, n)
	}
	return out
}

// shared returns the inputs that all lines of a part have in common.
func (p *Part) shared() (x Features) {
	x[fPlace], x[fFile] = float32(rank.LogOdds(p.Chance)), float32(rank.LogOdds(p.FileChance))
	x[fRank] = float32(math.Log1p(float64(p.Rank)))
	x[fPiece] = float32(min(p.Piece, mostPieces))
	x[fInFile] = float32(p.Chance / max(p.FileChance, leastChance))
	all := p.within(0, len(p.words)-1)
	x[fAll], x[fAllLocal] = float32(p.share.of(all)), float32(p.local.of(all))
	x[fTest], x[fBestLocal] = is(p.Test), float32(p.best)
	x[fCommittedPlace] = float32(p.committed(p.in.First, p.in.Last))
	x[fLikePlace] = p.likeness(0, len(p.likes)-1)
	return x
}

// likeness returns the mean of how much lines of the part say the same as the question.
func (p *Part) likeness(first, last int) (mean float32) {
	first, last = max(first, 0), min(last, len(p.likes)-1)
	if last < first {
		return 0
	}
	for _, like := range p.likes[first : last+1] {
		mean += like
	}
	return mean / float32(last-first+1)
}

// committed returns the most that the commits say of one of some lines.
func (p *Part) committed(first, last int) (most float64) {
	if len(p.Committed) == 0 {
		return 0
	}
	for n := first; n <= last; n++ {
		most = max(most, p.Committed[n])
	}
	return most
}

// define fills in the inputs about the innermost definition that the i-th line is in.
func (p *Part) define(x *Features, i int) {
	n := p.in.First + i
	d, ok := p.innermost(n)
	if !ok {
		x[fOutside] = 1
		return
	}
	signature := p.Question.In(p.Lines[d.Named])
	x[fSignature], x[fSignatureLocal] = float32(p.share.of(signature)), float32(p.local.of(signature))
	in := p.within(d.First-p.in.First, d.Last-p.in.First)
	x[fWithin], x[fWithinLocal] = float32(p.share.of(in)), float32(p.local.of(in))
	x[fLikeWithin] = p.likeness(d.First-p.in.First, d.Last-p.in.First)
	x[fLength], x[fBegins] = float32(math.Log(float64(d.Lines()))), is(d.First == n)
}

// describe fills in the inputs about the form of a line.
func (p *Part) describe(x *Features, n int) {
	line := bytes.TrimSpace(p.Lines[n])
	blank := isBare(line)
	if next := n + 1; next <= p.in.Last && !blank && !isBare(p.Lines[next]) {
		x[fOpens], x[fCloses] = is(indent(p.Lines[next]) > indent(p.Lines[n])), is(indent(p.Lines[next]) < indent(p.Lines[n]))
	}
	x[fComment], x[fBlank] = is(p.Comments[n]), is(blank)
	x[fText] = is(bytes.ContainsAny(line, "\"'`"))
	x[fCalls] = is(bytes.IndexByte(line, '(') > 0)
	x[fAssigns], x[fCompares] = is(assigns(line)), is(compares(line))
	x[fIndent] = float32(min(indent(p.Lines[n]), mostIndent))
	x[fBytes] = float32(math.Log1p(float64(len(p.Lines[n]) + 1)))
	x[fOwnComment] = x[fOwn] * x[fComment]
}

// assigns reports whether a line has the sign of an assignment.
func assigns(line []byte) bool {
	for i, b := range line {
		if b == '=' && i > 0 && i+1 < len(line) && line[i+1] != '=' && line[i+1] != '>' && bytes.IndexByte([]byte("=!<>"), line[i-1]) < 0 {
			return true
		}
	}
	return false
}

var comparisons = [][]byte{[]byte("=="), []byte("!="), []byte("&&"), []byte("||"), []byte(" < "), []byte(" > "), []byte("<="), []byte(">=")}

// compares reports whether a line has the sign of a comparison or a logical operator.
func compares(line []byte) bool {
	for _, sign := range comparisons {
		if bytes.Contains(line, sign) {
			return true
		}
	}
	return false
}

func is(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
