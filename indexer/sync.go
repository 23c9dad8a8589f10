package indexer

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/store"
)

// syncAll compares the whole workspace with the index and brings in what differs.
func (w *writer) syncAll(ctx context.Context) {
	w.status.busy(Scanning)
	w.x.changes.signal()
	seen := make(map[string]bool, len(w.manifest.known.files))
	var changed []source.Entry
	skipped := map[source.Reason]int{}
	unread := map[string]bool{}
	err := w.tree.Walk(ctx, func(e source.Entry) error {
		seen[e.Path] = true
		if w.manifest.known.stale || w.manifest.known.differs(e) {
			changed = append(changed, e)
		}
		return nil
	}, func(path string, dir bool, r source.Reason) {
		skipped[r]++
		if dir && r == source.Unreadable && isTransient(w.tree, path) {
			unread[path] = true
		}
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		w.unavailable(err)
		return
	}
	w.manifest.known.walked = skipped
	var gone []string
	for p := range w.manifest.known.files {
		if !seen[p] && !under(p, unread) {
			gone = append(gone, p)
		}
	}
	w.status.update(func() { w.status.unavailable = "" })
	if done, whole := w.bring(ctx, changed, gone); done {
		w.retry.ended(whole && len(unread) == 0)
		w.apply()
	}
}

// apply records that every file has been read under the present rules.
func (w *writer) apply() {
	w.manifest.known.stale = false
	if w.manifest.known.applied == w.manifest.known.rules {
		return
	}
	w.manifest.known.applied = w.manifest.known.rules
	b := w.disk.db.NewBatch()
	if err := w.manifest.putState(b); err != nil {
		w.log.Warn("record the rules", "err", err)
	}
	w.save(b)
}

// bring applies changes. done is false if an error or ctx ended it early, whole is false if a
// transient error kept it from reading some file.
func (w *writer) bring(ctx context.Context, changed []source.Entry, gone []string) (done, whole bool) {
	slices.SortFunc(changed, func(a, b source.Entry) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(gone)
	if len(changed) > 0 {
		w.status.update(func() {
			w.status.state, w.status.queue = Indexing, len(changed)
			w.status.total = max(w.status.total, w.manifest.known.total()-w.manifest.known.indexed(gone)+w.manifest.known.unknown(changed))
		})
		w.x.changes.signal()
	}
	a := newApplication(w, gone)
	if err := a.run(ctx, changed); err != nil {
		if ctx.Err() == nil {
			w.fail("index changed files", err)
		}
		return false, false
	}
	merged, err := w.manifest.mergeParts(len(changed) > coldFiles)
	if merged != nil { // even if a file turned out to be damaged since
		w.publish()
		w.save(merged)
	}
	if errors.Is(err, errCut) {
		w.mail.send(w.renewDamaged)
	} else if err != nil {
		w.fail("merge segments", err)
		return false, false
	}
	skipped := w.manifest.known.skipped()
	w.status.update(func() { w.status.skipped = skipped })
	w.suspects.clear(w.disk.db, w.log)
	w.idle()
	poke(w.wake)
	return true, !a.unread
}

// coldFiles is the number of files in one pass from which the segments are merged into one at its
// end.
const coldFiles = 1000

// application is one pass of changes over the state.
type application struct {
	w     *writer
	gone  map[string]bool       // paths that no longer exist
	moved map[contentKey]string // content of the removed files → path: the source of a renamed file
	twins map[contentKey]bool   // contents of several removed files
	owned map[*part]bool        // parts cloned since the last publication: whether a file of one has another path
	batch *store.Batch          // what the next commit writes
	build *segBuilder           // nil while empty
	added []pending             // files in build, by index
	since time.Time             // of the last publication
	every time.Duration         // until the next one
	fresh map[string]bool       // paths placed in this pass
	// unread is true if a transient error kept a file from being read: reading it is retried.
	unread bool
}

// contentKey is equal for files that would be cut alike: the same bytes under the same kind of
// name.
type contentKey struct {
	content hash
	ext     string
}

type pending struct {
	path  string
	state fileState
}

// ownContent is the size in bytes from which a content identifies a file; below it many files are
// equal.
const ownContent = 32

const (
	sealBytes    = 24 << 20               // of a segment under construction, which takes several times that in memory
	flushBytes   = 1 << 20                // a commit that is worth saving
	firstPublish = 400 * time.Millisecond // results from the first second on
)

func newApplication(w *writer, gone []string) *application {
	a := &application{
		w: w, gone: map[string]bool{}, moved: map[contentKey]string{}, twins: map[contentKey]bool{}, owned: map[*part]bool{}, fresh: map[string]bool{},
		batch: w.disk.db.NewBatch(), since: w.x.opts.Now(), every: firstPublish,
	}
	for _, p := range gone {
		a.gone[p] = true
		if f := w.manifest.known.files[p]; f.segment > 0 {
			k := w.manifest.part(f.segment)
			key := contentKey{w.manifest.parts[k].seg.files[f.index].Hash, kindOfName(p)}
			a.twins[key] = a.moved[key] != ""
			a.moved[key] = p
		}
	}
	return a
}

// kindOfName returns the part of a path that affects how its content is cut.
func kindOfName(p string) string {
	if chunk.ComponentFile(p) {
		return path.Base(p)
	}
	if ext := path.Ext(p); ext != "" {
		return ext
	}
	return path.Base(p)
}

// own returns a copy of part k that no snapshot holds.
func (a *application) own(k int) *part {
	p := a.w.manifest.parts[k]
	if _, owned := a.owned[p]; !owned {
		q := *p
		q.paths, q.searched = slices.Clone(p.paths), nil
		a.w.manifest.parts[k], p = &q, &q
		a.owned[p] = false
	}
	return p
}

// drop removes a path from the index.
func (a *application) drop(path string) {
	if f, ok := a.w.manifest.known.files[path]; ok && f.segment > 0 {
		p := a.own(a.w.manifest.part(f.segment))
		p.paths[f.index] = ""
		p.dead++
		a.w.manifest.removed.add(contentKey{p.seg.files[f.index].Hash, kindOfName(path)}, f.segment, f.index)
	}
	delete(a.w.manifest.known.files, path)
}

func (a *application) run(ctx context.Context, changed []source.Entry) error {
	done := 0
	parser := fileParser{x: a.w.x, blamed: a.w.suspects.blamed, known: a.known}
	err := parser.all(ctx, changed, func(r parsedFile) error {
		done++
		if err := a.take(r); err != nil {
			return err
		}
		if done%64 == 0 {
			a.w.status.update(func() { a.w.status.queue = len(changed) - done })
			a.w.x.changes.signal()
		}
		if a.build != nil && (a.build.size() > sealBytes || a.w.x.opts.Now().Sub(a.since) > a.every) {
			a.every *= 2
			return a.commit()
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, a.batch.Drop())
	}
	for p := range a.gone {
		if !a.fresh[p] {
			a.drop(p)
			if err := a.batch.Delete(fileKey(p)); err != nil {
				return err
			}
		}
	}
	if err := a.commit(); err != nil {
		return err
	}
	return a.batch.Drop()
}

// known reports whether this content needs no parsing. It is called concurrently and reads only
// what the pass does not change: the segments and the list of removed files.
func (a *application) known(path string, content hash) bool {
	key := contentKey{content, kindOfName(path)}
	if _, ok := a.moved[key]; ok {
		return true
	}
	return a.w.manifest.removed.has(key)
}

// take adds one file.
func (a *application) take(r parsedFile) error {
	a.fresh[r.path] = true
	state := stateOf(r)
	if r.reason == source.NotFound {
		a.drop(r.path)
		return a.batch.Delete(fileKey(r.path))
	}
	if r.reason == source.Unreadable && isTransient(a.w.tree, r.path) {
		a.unread = true
		if a.w.manifest.known.files[r.path].segment > 0 {
			return nil // its record stays, and its stat proves nothing
		}
		state.checked = never
	}
	if r.reason != "" {
		a.drop(r.path)
		return a.place(r.path, state)
	}
	if old, ok := a.w.manifest.known.files[r.path]; ok && old.segment > 0 && a.w.manifest.parts[a.w.manifest.part(old.segment)].seg.files[old.index].Hash == r.hash {
		state.segment, state.index = old.segment, old.index
		return a.place(r.path, state)
	}
	key := contentKey{r.hash, kindOfName(r.path)}
	if from, ok := a.moved[key]; ok && a.gone[from] {
		if !a.twins[key] && state.size >= ownContent {
			a.w.x.renames.add(from, r.path)
		}
		return a.move(from, r.path, state)
	}
	if revived, err := a.revive(key, r.path, state); revived || err != nil {
		return err
	}
	if r.src != nil && !r.cut {
		r.cutWith(a.w.x)
	}
	a.drop(r.path)
	if a.build == nil {
		a.build = newSegBuilder()
	}
	a.build.add(r.src, r.hash, r.file, r.tokens)
	a.added = append(a.added, pending{r.path, state})
	a.w.status.update(func() { a.w.status.parsed++ })
	return nil
}

// move assigns a removed file's place to the path that has its content now.
func (a *application) move(from, to string, state fileState) error {
	f := a.w.manifest.known.files[from]
	delete(a.gone, from)
	a.drop(to)
	p := a.own(a.w.manifest.part(f.segment))
	p.paths[f.index], a.owned[p] = to, true
	delete(a.w.manifest.known.files, from)
	if err := a.batch.Delete(fileKey(from)); err != nil {
		return err
	}
	state.segment, state.index = f.segment, f.index
	return a.place(to, state)
}

// revive assigns the place of a content that was removed, in this pass or an earlier one, to a path
// that has it now: the second half of a rename, an undone change, a branch switched to again.
func (a *application) revive(key contentKey, path string, state fileState) (revived bool, err error) {
	segment, index, ok := a.w.manifest.removed.take(key)
	if !ok {
		return false, nil
	}
	k := a.w.manifest.part(segment)
	if k < 0 || a.w.manifest.parts[k].paths[index] != "" {
		return false, nil
	}
	a.drop(path)
	p := a.own(a.w.manifest.part(segment))
	p.paths[index], a.owned[p] = path, true
	p.dead--
	state.segment, state.index = segment, index
	return true, a.place(path, state)
}

func (a *application) place(path string, state fileState) error {
	a.w.manifest.known.files[path] = state
	return a.batch.Set(fileKey(path), state.marshal())
}

func fileKey(path string) []byte { return append(append([]byte(nil), keyFile...), path...) }

// commit seals what was built, publishes it to new requests and saves it. It publishes first: a
// slow or full disk must not keep an edit from being found.
func (a *application) commit() error {
	w := a.w
	if a.build != nil {
		p := &part{paths: make([]string, len(a.added))}
		for i, f := range a.added {
			p.paths[i] = f.path
		}
		built := a.build.seal(w.manifest.nextID)
		built.named = newPathSet(p.paths, nil)
		seg, err := w.disk.putSegment(a.batch, built)
		if err != nil {
			return err
		}
		w.manifest.nextID++
		p.seg = seg
		p.name()
		for i, f := range a.added {
			f.state.segment, f.state.index = seg.id, i
			if err := a.place(f.path, f.state); err != nil {
				return err
			}
		}
		w.manifest.parts = append(w.manifest.parts, p)
		a.build, a.added = nil, nil
	}
	w.manifest.dropEmpty(a.batch)
	for p, named := range a.owned {
		if named {
			p.name()
		}
	}
	a.owned = map[*part]bool{}
	w.publish()
	poke(w.wake)
	if err := w.manifest.putState(a.batch); err != nil {
		return err
	}
	w.save(a.batch)
	a.batch = w.disk.db.NewBatch()
	a.since = w.x.opts.Now()
	return nil
}

// save saves a batch. A disk error is reported once in the status; the index continues in memory,
// and what is on disk stays as it was.
func (w *writer) save(b *store.Batch) {
	size := b.Len()
	err := b.Commit()
	w.disk.wear.written += size
	if size > flushBytes && err == nil {
		err = w.disk.db.Flush()
	}
	if err != nil {
		w.unsaved(err)
	}
}
