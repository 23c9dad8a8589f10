package indexer

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/zeebo/xxh3"
)

// pathSet is what some files of a part are found by: their paths and the words of these. A part has
// one with the paths that its files had when it was made, which lies in the segment's file, and one
// for the files that were renamed since: a new snapshot costs what changed, and not what the
// workspace has. Paths of files that were removed or renamed stay in it; they are not live.
// Immutable but for what is made on first use, and safe for concurrent use.
type pathSet struct {
	files []uint32 // by number in the set: that in the part, ascending; nil when both are the same
	names table    // paths
	words *lexical.Segment
	// slots is a hash table of the paths, in which a number is followed by those whose place it
	// has: 1 + a number, 0 for none. Its length is a power of 2.
	slots []uint32
	in    *mapped.File // which has the fields above, and stays mapped as long as the set is referred to; nil for memory

	classOnce sync.Once // guards classes
	classes   []uint8   // see Classify

	tableOnce sync.Once // guards table
	table     any       // see PathTables
}

// newPathSet returns the set of paths; files are as in pathSet, and "" is no path.
func newPathSet(paths []string, files []uint32) *pathSet {
	b := lexical.NewBuilder()
	s := &pathSet{files: files, slots: make([]uint32, slotsFor(len(paths)))}
	for i, name := range paths {
		s.names.add(name)
		b.Group()
		b.Add(lexical.Body, []byte(name))
		base := path.Base(name)
		b.Add(lexical.Symbol, []byte(strings.TrimSuffix(base, path.Ext(base))))
		b.Close()
		at := s.slot(name)
		for name != "" && s.slots[at] > 0 {
			at = (at + 1) % len(s.slots)
		}
		if name != "" {
			s.slots[at] = uint32(i + 1)
		}
	}
	s.words = b.Seal()
	return s
}

// slotsFor returns the size of the hash table of n paths: at most half of it is used.
func slotsFor(n int) int {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return size
}

func (s *pathSet) slot(name string) int { return int(xxh3.HashString(name) % uint64(len(s.slots))) }

// file returns the number in the part of a number in the set.
func (s *pathSet) file(i int) int {
	if s.files == nil {
		return i
	}
	return int(s.files[i])
}

// number returns the number in the set of a file of the part; ok is false when it is not in it.
func (s *pathSet) number(file int) (i int, ok bool) {
	if s.files == nil {
		return file, true
	}
	return slices.BinarySearch(s.files, uint32(file))
}

// find calls yield for the files of a path, live or not, until it returns false.
func (s *pathSet) find(name string, yield func(file int) bool) {
	for at, tried := s.slot(name), 0; s.slots[at] > 0 && tried < len(s.slots); at, tried = (at+1)%len(s.slots), tried+1 {
		// A file that was truncated while mapped has any numbers.
		if i := int(s.slots[at]) - 1; i < s.names.len() && string(s.names.at(i)) == name && !yield(s.file(i)) {
			return
		}
	}
}

// sections returns the set of all files of a part as the sections of a file.
func (s *pathSet) sections() [][]byte {
	return append(s.words.Sections(), s.names.blob, mapped.Bytes(s.names.off), mapped.Bytes(s.slots))
}

// pathSections is the number of sections of a set.
const pathSections = lexical.SectionCount + 3

// openPathSet returns the set of n paths in sections of a file; ok is false when it is another's.
func openPathSet(file *mapped.File, b [][]byte, n int) (s *pathSet, ok bool) {
	words, err := lexical.FromSections(b[:lexical.SectionCount])
	if err != nil {
		return nil, false
	}
	b = b[lexical.SectionCount:]
	s = &pathSet{in: file, words: words, names: viewTable(b[0], b[1]), slots: mapped.View[uint32](b[2])}
	return s, s.names.len() == n && words.Groups() == n && words.Docs() == n && len(s.slots) == slotsFor(n)
}

// name makes what the part's files are found by. It must be called whenever one of them got a path
// that it did not have in the version of the part before, and before the part is shared.
func (p *part) name() {
	if p.named == nil {
		p.named = p.seg.named
	}
	p.renamed = nil
	if p.named != nil {
		if p.renamed = p.differing(); p.renamed == nil || 4*len(p.renamed.files) <= len(p.paths) {
			return
		}
	}
	p.named, p.renamed = newPathSet(p.paths, nil), nil
}

// differing returns the set of the files that have another path than in the set of all, nil for
// none.
func (p *part) differing() *pathSet {
	var paths []string
	var files []uint32
	for i, name := range p.paths {
		if name != "" && string(p.named.names.at(i)) != name {
			paths, files = append(paths, name), append(files, uint32(i))
		}
	}
	if len(files) == 0 {
		return nil
	}
	return newPathSet(paths, files)
}

// sets returns the part's sets of paths.
func (p *part) sets() []*pathSet {
	if p.renamed == nil {
		return []*pathSet{p.named}
	}
	return []*pathSet{p.named, p.renamed}
}

// placeOf returns the set that has a file's present path, and its number there.
func (p *part) placeOf(file int) (*pathSet, int) {
	if p.renamed != nil {
		if i, ok := p.renamed.number(file); ok {
			return p.renamed, i
		}
	}
	return p.named, file
}

// find returns the file of a path.
func (p *part) find(name string) (file int, ok bool) {
	for _, s := range p.sets() {
		s.find(name, func(f int) bool {
			if p.paths[f] == name {
				file, ok = f, true
			}
			return !ok
		})
	}
	return file, ok
}

// livePaths are the numbers of a part's set of paths that stand for a present path.
type livePaths struct {
	part *part
	set  *pathSet
}

// Doc and Group implement lexical.Live; a path is one document.
func (l livePaths) Doc(d int) bool { return l.Group(d) }
func (l livePaths) Group(g int) bool {
	f := l.set.file(g)
	set, _ := l.part.placeOf(f)
	return set == l.set && l.part.paths[f] != ""
}

// livePaths returns the numbers of a set that stand for present paths, nil for all.
func (p *part) livePaths(s *pathSet) lexical.Live {
	if p.dead == 0 && p.renamed == nil {
		return nil
	}
	return livePaths{p, s}
}

// PathTable is what was made of some paths of a part.
type PathTable struct {
	Made  any
	First int // number of the part's first file
}

// Paths are some files of a part.
type Paths struct {
	set  *pathSet
	part *part
}

// All calls yield for each file with its number in the part and the path that it had when the part
// was made; it may have been removed or renamed.
func (p Paths) All(yield func(file int, path, language string)) {
	for i := range p.set.names.len() {
		name, f := p.set.names.at(i), p.set.file(i)
		if now := p.part.paths[f]; now != "" && now == string(name) { // so that what is kept of it takes no memory
			yield(f, now, p.part.seg.files[f].Language)
		} else if len(name) > 0 {
			yield(f, string(name), p.part.seg.files[f].Language)
		}
	}
}

// PathTables returns what make makes of the paths and languages of the files, part by part, once
// for all snapshots with the same parts. It must always be the same function. What it makes has
// files that were removed or have another path now: a caller must compare that with Path.
func (s *Snapshot) PathTables(make func(Paths) any) (out []PathTable) {
	for k, p := range s.layout.parts {
		for _, set := range p.sets() {
			set.tableOnce.Do(func() { set.table = make(Paths{set, p}) })
			out = append(out, PathTable{set.table, s.layout.fileBase[k]})
		}
	}
	return out
}
