package binding

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/contexture-dev/contexture/indexer/chunk"
)

// pathTable has the files whose types are understood by the paths by which imports know them. It is
// shared by all resolvers of a workspace. Immutable.
type pathTable struct {
	modules   []modulePath // by module, then by path
	byBase    []int32      // indexes of modules, by the last part of the module, then ascending
	folders   []string     // with such files, each with a slash at its end, sorted
	manifests []string     // paths of files that declare packages
}

// modulePath is a file with the path by which imports know it.
type modulePath struct{ module, path string }

// paths returns the table of the workspace.
func (r *Resolver) paths() *pathTable {
	if r.table == nil {
		r.table = r.s.PathTable(r.newPathTable).(*pathTable)
	}
	return r.table
}

func (r *Resolver) newPathTable() any {
	t := &pathTable{}
	r.s.Paths(func(number int, p string) {
		if base := path.Base(p); base == "go.mod" || base == "package.json" || base == "Cargo.toml" {
			t.manifests = append(t.manifests, p)
		}
		if chunk.Typed(r.s.Language(number)) {
			t.modules = append(t.modules, modulePath{moduleOf(p), p})
			t.folders = append(t.folders, folder(p))
		}
	})
	slices.Sort(t.manifests)
	slices.Sort(t.folders)
	t.folders = slices.Clip(slices.Compact(t.folders))
	slices.SortFunc(t.modules, func(a, b modulePath) int {
		return cmp.Or(strings.Compare(a.module, b.module), strings.Compare(a.path, b.path))
	})
	t.byBase = make([]int32, len(t.modules))
	for i := range t.byBase {
		t.byBase[i] = int32(i)
	}
	slices.SortStableFunc(t.byBase, func(a, b int32) int { return strings.Compare(t.base(a), t.base(b)) })
	return t
}

// base returns the last part of a module's path.
func (t *pathTable) base(i int32) string { return path.Base(t.modules[i].module) }

// of returns the files of a module.
func (t *pathTable) of(module string) []modulePath {
	from, _ := slices.BinarySearchFunc(t.modules, module, func(m modulePath, to string) int { return strings.Compare(m.module, to) })
	to := from
	for to < len(t.modules) && t.modules[to].module == module {
		to++
	}
	return t.modules[from:to]
}

func (t *pathTable) has(module string) bool { return len(t.of(module)) > 0 }

// below returns the files of the module that a folder, with a slash at its end, stands for, and of
// those in it.
func (t *pathTable) below(dir string) []modulePath {
	own := t.of(strings.TrimSuffix(dir, "/"))
	from := sort.Search(len(t.modules), func(i int) bool { return t.modules[i].module >= dir })
	to := from
	for to < len(t.modules) && strings.HasPrefix(t.modules[to].module, dir) {
		to++
	}
	return slices.Concat(own, t.modules[from:to])
}

// ending returns the modules whose paths have a last part.
func (t *pathTable) ending(base string) iter.Seq[string] {
	return func(yield func(string) bool) {
		last := ""
		from := sort.Search(len(t.byBase), func(i int) bool { return t.base(t.byBase[i]) >= base })
		for _, i := range t.byBase[from:] {
			if t.base(i) != base {
				return
			}
			if m := t.modules[i].module; m != last {
				if last = m; !yield(m) {
					return
				}
			}
		}
	}
}

// hasFolder reports whether a folder, with a slash at its end, has files.
func (t *pathTable) hasFolder(dir string) bool {
	_, ok := slices.BinarySearch(t.folders, dir)
	return ok
}
