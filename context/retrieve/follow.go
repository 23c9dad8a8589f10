package retrieve

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
)

// Recent is a file or a symbol that the conversation was about. One of the two is set.
type Recent struct {
	Path, Symbol string
	// Earlier says that not this conversation was about it but others of the workspace.
	Earlier bool
	// Turn of the conversation that mentions it last, from 1; 0 where that is not known.
	Turn int
}

// Focus is a file or a symbol of the workspace that the conversation is about and that candidates were raised for.
type Focus struct {
	Recent
	// File is the file's path, or that of the symbol's definition.
	File string
}

// focusMost bounds what a result lists of the conversation's focus.
const focusMost = 12

// focus returns what of the conversation's files and symbols is there, that of the latest turns first.
func (r *run) focus() []Focus {
	var out []Focus
	for _, m := range r.req.Recent {
		f := Focus{Recent: m, File: m.Path}
		if m.Path == "" {
			defined := r.meant(m.Symbol)
			if len(defined) == 0 {
				continue
			}
			f.File = defined[0].Path
		}
		if file, ok := r.s.File(f.File); ok && r.keeps(file) && len(out) < focusMost {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Focus) int { return cmp.Compare(b.Turn, a.Turn) })
	return out
}

// What the conversation is worth beside the prompt, as probabilities.
const (
	// talkedMost is how many recent files and symbols count; each further one of a kind counts recentDecay of the one
	// before it.
	talkedMost  = 12
	recentDecay = .8
	// talkedShare is how probably the best piece of a recent file helps, whatever the prompt says, talkedOpen as far as
	// the prompt leaves its object open; named and namedOpen say that of what defines a recent symbol. A further piece
	// of the file counts furtherTalked of it.
	talkedShare, talkedOpen = .22, .5
	namedShare, namedOpen   = .15, .6
	furtherTalked           = .3
	// unseenTalked is what a recent file counts in which the prompt finds nothing.
	unseenTalked = .45
	// openBelow is the share of its object that a prompt determines below which the conversation's last symbol is the
	// place of a person who has no cursor.
	openBelow = .8
	// definedMost is how many definitions a symbol may have to say which one was meant.
	definedMost = 3
	// earlierShare is what an earlier conversation's files and symbols count beside the own one's, as far as the prompt
	// leaves its object open.
	earlierShare = .5
)

// follow joins what the prompt says with what the conversation was about. The less the prompt determines its object, the
// more that counts; what the prompt names itself stays first.
func (r *run) follow() {
	if len(r.req.Recent) == 0 || r.req.Mode != Hybrid || r.reckons() {
		return
	}
	if r.out.Elsewhere {
		return
	}
	r.out.Focus = r.focus()
	sub := r.subject()
	_, limit := r.bounds()
	files, chunks := r.recent(sub.own)
	if sub.own < openBelow {
		r.standAt()
	}
	talked := sub.own*talkedShare + (1-sub.own)*talkedOpen
	named := sub.own*namedShare + (1-sub.own)*namedOpen
	slices.SortStableFunc(r.out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	seen := map[int]bool{}
	for i := range r.out.Candidates {
		c := &r.out.Candidates[i]
		helps := 0.0
		file := r.s.FileOf(c.Chunk)
		if w, ok := files[file]; ok {
			if helps = w * talked; seen[file] {
				helps *= furtherTalked
			}
			seen[file] = true
		}
		if w, ok := chunks[c.Chunk]; ok {
			helps = max(helps, w*named)
			delete(chunks, c.Chunk)
		}
		if helps > 0 {
			c.lift(either(c.Score, helps), limit)
			c.Reasons = append(c.Reasons, "the conversation is about it")
		}
	}
	for file, w := range files { // in which the prompt finds nothing
		if first, end := r.s.FileChunks(file); !seen[file] && first < end {
			chunks[first] = max(chunks[first], w*talked*unseenTalked/named)
		}
	}
	for _, chunk := range slices.Sorted(maps.Keys(chunks)) {
		c := Candidate{Chunk: chunk, Reasons: []string{"the conversation is about it"}}
		c.lift(chunks[chunk]*named, limit)
		r.out.Candidates = append(r.out.Candidates, c)
	}
}

// either is the probability that one of two things is so that have nothing to do with each other.
func either(p, q float64) float64 { return 1 - (1-p)*(1-q) }

// standAt takes the symbol that the conversation was about last for the place of a person who is nowhere: what calls it
// and what it calls is then near.
func (r *run) standAt() {
	if r.req.At.Path != "" || len(r.req.Near) > 0 {
		return
	}
	for _, m := range r.req.Recent {
		if m.Symbol == "" || m.Earlier {
			continue
		}
		if defined := r.meant(m.Symbol); len(defined) > 0 {
			d := defined[0]
			r.req.At = Place{Path: d.Path, Known: true, First: d.Line, Last: d.Line, Name: d.Name, Qualifier: d.Container, Talked: true}
			return
		}
	}
}

// meant returns the definitions of a symbol, qualified or not; none where there are too many to say which one was meant.
func (r *run) meant(symbol string) []indexer.Symbol {
	name := symbol[strings.LastIndexAny(symbol, ".:#")+1:]
	defined := r.s.Definitions(name, definedMost+1)
	if len(defined) > definedMost {
		return nil
	}
	return defined
}

// recent returns how much the conversation was about files, and about chunks that define what it named: 1 for the first
// of each kind. Of what earlier conversations were about that is less, by what the prompt determines itself.
func (r *run) recent(own float64) (files, chunks map[int]float64) {
	files, chunks = map[int]float64{}, map[int]float64{}
	paths, names := 0, 0
	for _, m := range r.req.Recent {
		weight := 1.0
		if m.Earlier {
			weight = earlierShare * (1 - own)
		}
		if m.Path != "" {
			if file, ok := r.s.File(m.Path); ok && paths < talkedMost && r.keeps(file) {
				files[file] = max(files[file], weight*math.Pow(recentDecay, float64(paths)))
				paths++
			}
			continue
		}
		defined := r.meant(m.Symbol)
		if len(defined) == 0 || names == talkedMost {
			continue
		}
		for _, d := range defined {
			if chunk, ok := r.s.ChunkAt(d.File, d.Line); ok && r.keeps(d.File) {
				chunks[chunk] = max(chunks[chunk], weight*math.Pow(recentDecay, float64(names)))
			}
		}
		names++
	}
	return files, chunks
}
