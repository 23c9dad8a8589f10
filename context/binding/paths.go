package binding

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// pathTable has the files whose types are understood, of a part of a workspace, by the paths by
// which imports know them. It is shared by all resolvers, and has files that were removed or
// renamed since. Immutable but for declared; safe for concurrent use.
type pathTable struct {
	modules   []modulePath // by module, then by path
	byBase    []int32      // indexes of modules, by the last part of the module, then ascending
	byFolder  []int32      // the same, by the folder, which ends with a slash
	manifests []modulePath // files that declare packages
	declared  sync.Map     // by path: what the manifests declare, as far as they were read
}

// modulePath is a file with the path by which imports know it.
type modulePath struct {
	module, path string
	file         int // number in the part
}

// declaredPackage is what a file declares: a name, "" for none, and the root of a library of Rust
// in the file's folder.
type declaredPackage struct{ name, root string }

func newPathTable(paths indexer.Paths) any {
	t := &pathTable{}
	paths.All(func(file int, p, language string) {
		if base := path.Base(p); base == "go.mod" || base == "package.json" || base == "Cargo.toml" {
			t.manifests = append(t.manifests, modulePath{base, p, file})
		}
		if chunk.Typed(language) {
			t.modules = append(t.modules, modulePath{moduleOf(p), p, file})
		}
	})
	slices.SortFunc(t.modules, compareModules)
	sorted := func(key func(i int32) string) []int32 {
		out := make([]int32, len(t.modules))
		for i := range out {
			out[i] = int32(i)
		}
		slices.SortStableFunc(out, func(a, b int32) int { return strings.Compare(key(a), key(b)) })
		return out
	}
	t.byBase, t.byFolder = sorted(t.base), sorted(t.folder)
	return t
}

func compareModules(a, b modulePath) int {
	return cmp.Or(strings.Compare(a.module, b.module), strings.Compare(a.path, b.path))
}

// base returns the last part of a module's path.
func (t *pathTable) base(i int32) string { return path.Base(t.modules[i].module) }

func (t *pathTable) folder(i int32) string { return folder(t.modules[i].path) }

// workspacePaths are the tables of a workspace's parts, without the files that are gone.
type workspacePaths struct {
	s      *indexer.Snapshot
	tables []indexer.PathTable
}

// paths returns the tables of the workspace.
func (r *Resolver) paths() *workspacePaths {
	if r.table == nil {
		r.table = &workspacePaths{r.s, r.s.PathTables(newPathTable)}
	}
	return r.table
}

// each calls yield for every table, with a function that reports whether a file of it is still
// there.
func (w *workspacePaths) each(yield func(t *pathTable, live func(m modulePath) bool)) {
	for _, t := range w.tables {
		yield(t.Made.(*pathTable), func(m modulePath) bool { return w.s.Path(t.First+m.file) == m.path })
	}
}

// from adds the files from the first module that is not before one, as long as more holds.
func (w *workspacePaths) from(module string, more func(m modulePath) bool) (out []modulePath) {
	w.each(func(t *pathTable, live func(modulePath) bool) {
		at := sort.Search(len(t.modules), func(i int) bool { return t.modules[i].module >= module })
		for ; at < len(t.modules) && more(t.modules[at]); at++ {
			if live(t.modules[at]) {
				out = append(out, t.modules[at])
			}
		}
	})
	slices.SortFunc(out, compareModules)
	return out
}

// of returns the files of a module, by path.
func (w *workspacePaths) of(module string) []modulePath {
	return w.from(module, func(m modulePath) bool { return m.module == module })
}

func (w *workspacePaths) has(module string) bool { return len(w.of(module)) > 0 }

// below returns the files of the module that a folder, with a slash at its end, stands for, and of
// those in it.
func (w *workspacePaths) below(dir string) []modulePath {
	inside := w.from(dir, func(m modulePath) bool { return strings.HasPrefix(m.module, dir) })
	return slices.Concat(w.of(strings.TrimSuffix(dir, "/")), inside)
}

// ending calls yield for the modules whose paths have a last part, once for each of their files.
func (w *workspacePaths) ending(base string, yield func(module string)) {
	w.each(func(t *pathTable, live func(modulePath) bool) {
		at := sort.Search(len(t.byBase), func(i int) bool { return t.base(t.byBase[i]) >= base })
		for ; at < len(t.byBase) && t.base(t.byBase[at]) == base; at++ {
			if m := t.modules[t.byBase[at]]; live(m) {
				yield(m.module)
			}
		}
	})
}

// hasFolder reports whether a folder, with a slash at its end, has files.
func (w *workspacePaths) hasFolder(dir string) (has bool) {
	w.each(func(t *pathTable, live func(modulePath) bool) {
		at := sort.Search(len(t.byFolder), func(i int) bool { return t.folder(t.byFolder[i]) >= dir })
		for ; !has && at < len(t.byFolder) && t.folder(t.byFolder[at]) == dir; at++ {
			has = live(t.modules[t.byFolder[at]])
		}
	})
	return has
}

// in returns the files of a folder, with a slash at its end.
func (w *workspacePaths) in(dir string) (out []modulePath) {
	w.each(func(t *pathTable, live func(modulePath) bool) {
		at := sort.Search(len(t.byFolder), func(i int) bool { return t.folder(t.byFolder[i]) >= dir })
		for ; at < len(t.byFolder) && t.folder(t.byFolder[at]) == dir; at++ {
			if m := t.modules[t.byFolder[at]]; live(m) {
				out = append(out, m)
			}
		}
	})
	slices.SortFunc(out, compareModules)
	return out
}

// anyFolder reports whether a folder that fits has files.
func (w *workspacePaths) anyFolder(fits func(dir string) bool) (found bool) {
	w.each(func(t *pathTable, live func(modulePath) bool) {
		last, fit := "", false
		for i := 0; i < len(t.byFolder) && !found; i++ {
			if dir := t.folder(t.byFolder[i]); i == 0 || dir != last {
				last, fit = dir, fits(dir)
			}
			found = fit && live(t.modules[t.byFolder[i]])
		}
	})
	return found
}

// declarations calls yield for the packages that the workspace's files declare, in the order of
// their paths. Each file is read once for as long as it stays as it was indexed.
func (w *workspacePaths) declarations(read func(file int) ([]byte, bool), yield func(by, path string, declared declaredPackage)) {
	type declaration struct {
		modulePath
		declares declaredPackage
	}
	var list []declaration
	for _, table := range w.tables {
		t := table.Made.(*pathTable)
		for _, m := range t.manifests {
			if w.s.Path(table.First+m.file) != m.path {
				continue
			}
			declares, known := t.declared.Load(m.path)
			if !known {
				text, ok := read(table.First + m.file)
				if !ok {
					continue
				}
				declares = declaredIn(m.module, text)
				t.declared.Store(m.path, declares)
			}
			list = append(list, declaration{m, declares.(declaredPackage)})
		}
	}
	slices.SortFunc(list, func(a, b declaration) int { return strings.Compare(a.path, b.path) })
	for _, d := range list {
		yield(d.module, d.path, d.declares)
	}
}
