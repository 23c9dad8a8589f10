package indexer

// Linker finds what files refer to. It caches the names that it has looked up, since related files
// have many in common. Not safe for concurrent use.
type Linker struct {
	s     *SymbolSearch
	known map[partName]span
	defs  []definition // one name after another
}

// span is a range of defs.
type span struct{ from, to int }

// partName identifies names[name] of a part.
type partName struct{ part, name uint32 }

// definition is a definition of a name.
type definition struct {
	part  int
	file  uint32
	chunk int // of the snapshot
}

// NewLinker returns a linker for the snapshot.
func (s *SymbolSearch) NewLinker() *Linker { return &Linker{s: s, known: map[partName]span{}} }

// ambiguous is how many definitions a name may have for a reference to it to be evidence.
const ambiguous = 8

// References calls yield for the chunk of every definition, in another file, of a name that file
// refers to, with the number of references and the number of the name's definitions. It skips names
// defined in many places.
func (l *Linker) References(file int, yield func(chunk, count, definitions int)) {
	k := l.s.layout.partOf(file)
	own, i := l.s.layout.parts[k], uint32(file-l.s.layout.fileBase[k])
	own.seg.fileRefs(int(i), func(name, count uint32) {
		if n := len(own.seg.symbolsOf(int(name))); n > ambiguous || n == 0 && len(l.s.layout.parts) == 1 {
			return
		}
		at := partName{uint32(k), name}
		defs, known := l.known[at]
		if !known {
			defs.from = len(l.defs)
			l.defs = l.s.defined(own, int(name), l.defs)
			defs.to = len(l.defs)
			l.known[at] = defs
		}
		for _, d := range l.defs[defs.from:defs.to] {
			if d.chunk >= 0 && (d.part != k || d.file != i) {
				yield(d.chunk, int(count), defs.to-defs.from)
			}
		}
	})
}

// defined appends the definitions of a name of a part, none when they are many. One in a file
// without chunks has a negative chunk.
func (s *SymbolSearch) defined(own *part, name int, defs []definition) []definition {
	before := len(defs)
	for k, p := range s.layout.parts {
		n := name
		if p != own {
			if n = p.seg.names.find(string(own.seg.names.at(name))); n < 0 {
				continue
			}
		}
		symbols := p.seg.symbolsOf(n)
		if len(defs)-before+len(symbols) > ambiguous {
			return defs[:before]
		}
		for _, y := range symbols {
			if p.paths[y.File] == "" {
				continue
			}
			c := p.seg.chunkAt(int(y.File), y.Line)
			if c >= 0 {
				c += s.layout.chunkBase[k]
			}
			defs = append(defs, definition{k, y.File, c})
		}
	}
	return defs
}
