package indexer

import "sort"

// layout numbers the files and chunks of some parts one after another. Immutable.
type layout struct {
	parts     []*part
	fileBase  []int // by part: its first file; one more than parts
	chunkBase []int // by part: its first chunk; one more than parts
}

func newLayout(parts []*part) *layout {
	l := &layout{parts: parts, fileBase: []int{0}, chunkBase: []int{0}}
	for i, p := range parts {
		l.fileBase = append(l.fileBase, l.fileBase[i]+len(p.seg.files))
		l.chunkBase = append(l.chunkBase, l.chunkBase[i]+len(p.seg.chunks))
	}
	return l
}

// files and chunks return the bounds of the numbers.
func (l *layout) files() int  { return l.fileBase[len(l.parts)] }
func (l *layout) chunks() int { return l.chunkBase[len(l.parts)] }

// partOf returns the number of a file's part.
func (l *layout) partOf(file int) int { return sort.SearchInts(l.fileBase, file+1) - 1 }

// filePart returns a file's part and its number there.
func (l *layout) filePart(file int) (*part, int) {
	k := l.partOf(file)
	return l.parts[k], file - l.fileBase[k]
}

// chunkPart returns a chunk's part, its number there and the number of the part.
func (l *layout) chunkPart(chunk int) (p *part, c, k int) {
	k = sort.SearchInts(l.chunkBase, chunk+1) - 1
	return l.parts[k], chunk - l.chunkBase[k], k
}

// path returns a file's path, "" for a removed one.
func (l *layout) path(file int) string {
	p, i := l.filePart(file)
	return p.paths[i]
}

// find returns the number of the live file of a path.
func (l *layout) find(path string) (file int, ok bool) {
	for k := len(l.parts) - 1; k >= 0; k-- {
		if f, ok := l.parts[k].find(path); ok {
			return l.fileBase[k] + f, true
		}
	}
	return 0, false
}
