package indexer

import "sync"

// Classify returns a file's class by its path and language. It must always be the same pure
// function.
type Classify func(path, language string) uint8

// Class returns the class of a file; false for a removed one.
func (s *Snapshot) Class(file int, by Classify) (class uint8, live bool) {
	p, i := s.layout.filePart(file)
	if p.paths[i] == "" {
		return 0, false
	}
	set, n := p.placeOf(i)
	set.classify(p, by)
	return set.classes[n], true
}

// classify classifies the paths, once for all snapshots that have the set.
func (s *pathSet) classify(p *part, by Classify) {
	s.classOnce.Do(func() {
		s.classes = make([]uint8, s.names.len())
		for i := range s.classes {
			s.classes[i] = by(string(s.names.at(i)), p.seg.files[s.file(i)].Language)
		}
	})
}

// ClassifiedFile is a live file with its class and its chunks, half open.
type ClassifiedFile struct {
	File, First, End int
	Class            uint8
}

// Classes calls yield for every live file. With more than 1 worker, it calls yield from at most
// that many goroutines, each with its own number and with its own files, which ascend.
func (s *Snapshot) Classes(workers int, by Classify, yield func(worker int, f ClassifiedFile)) {
	for _, p := range s.layout.parts {
		for _, set := range p.sets() {
			set.classify(p, by)
		}
	}
	n := s.Files()
	workers = max(1, min(workers, n/classesAtOnce))
	var group sync.WaitGroup
	for i := range workers - 1 {
		group.Go(func() { s.layout.classesIn(n*i/workers, n*(i+1)/workers, func(f ClassifiedFile) { yield(i, f) }) })
	}
	s.layout.classesIn(n*(workers-1)/workers, n, func(f ClassifiedFile) { yield(workers-1, f) })
	group.Wait()
}

// classesAtOnce is the number of files from which another goroutine pays.
const classesAtOnce = 8192

// classesIn does that for the files from from up to to, part by part: looking up each file's part
// would take as long as the rest.
func (l *layout) classesIn(from, to int, yield func(f ClassifiedFile)) {
	for k := l.partOf(from); from < to; k++ {
		p, files, chunks := l.parts[k], l.fileBase[k], l.chunkBase[k]
		for end := min(to, l.fileBase[k+1]); from < end; from++ {
			i := from - files
			if p.dead > 0 && p.paths[i] == "" {
				continue
			}
			class := p.named.classes[i]
			if p.renamed != nil {
				set, n := p.placeOf(i)
				class = set.classes[n]
			}
			first, last := p.seg.body.GroupDocs(i)
			yield(ClassifiedFile{from, first + chunks, last + chunks, class})
		}
	}
}
