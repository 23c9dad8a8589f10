package indexer

import (
	"sort"
	"sync"
)

// Classify returns a file's class by its path and language. It must always be the same pure
// function.
type Classify func(path, language string) uint8

// Class returns the class of a file; false for a removed one.
func (s *Snapshot) Class(file int, by Classify) (class uint8, live bool) {
	s.classify(by)
	g := s.groupOf[file]
	if g == 0 {
		return 0, false
	}
	return s.names.classes[g-1], true
}

// classify classifies every path, once for all snapshots with the same paths.
func (s *Snapshot) classify(by Classify) {
	s.prepare(nil)
	s.names.once.Do(func() {
		s.names.classes = make([]uint8, len(s.names.paths))
		for g, name := range s.names.paths {
			s.names.classes[g] = by(name, s.Language(s.nameOf[g]))
		}
	})
}

// Classed is a live file with its class and its chunks, half open.
type Classed struct {
	File, First, End int
	Class            uint8
}

// Classes calls yield for every live file. With more than 1 worker, it calls yield from at most
// that many goroutines, each with its own number and with its own files, which ascend.
func (s *Snapshot) Classes(workers int, by Classify, yield func(worker int, f Classed)) {
	s.classify(by)
	n := len(s.groupOf)
	workers = max(1, min(workers, n/classesAtOnce))
	var group sync.WaitGroup
	for i := range workers - 1 {
		group.Go(func() { s.classesIn(n*i/workers, n*(i+1)/workers, func(f Classed) { yield(i, f) }) })
	}
	s.classesIn(n*(workers-1)/workers, n, func(f Classed) { yield(workers-1, f) })
	group.Wait()
}

// classesAtOnce is the number of files from which another goroutine pays.
const classesAtOnce = 8192

// classesIn does that for the files from from up to to, part by part: looking up each file's part
// would take as long as the rest.
func (s *Snapshot) classesIn(from, to int, yield func(f Classed)) {
	for k := sort.SearchInts(s.fileBase, from+1) - 1; from < to; k++ {
		body, files, chunks := s.parts[k].seg.body, s.fileBase[k], s.chunkBase[k]
		for end := min(to, s.fileBase[k+1]); from < end; from++ {
			if g := s.groupOf[from]; g > 0 {
				first, last := body.GroupDocs(from - files)
				yield(Classed{from, first + chunks, last + chunks, s.names.classes[g-1]})
			}
		}
	}
}
