package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/zeebo/xxh3"
)

// maxWarm bounds the bundles that are kept ready, over all roots; one takes 50 to 200 KB.
const maxWarm = 32

// warm caches bundles that were compiled in advance. Each belongs to a request and to the state
// from which it was built; it is never returned for another state. Safe for concurrent use.
type warm struct {
	mu      sync.Mutex // guards all below
	bundles map[warmKey]*warmBundle
	order   []warmKey // the least recently put first
}

// warmKey identifies a request: the root and a hash of all arguments that the answer depends on.
type warmKey struct {
	root string
	args xxh3.Uint128
}

type warmBundle struct {
	*builtBundle
	conditions conditions
	files      []fileStamp
	// exists holds the results of the bundle's questions whether files exist.
	exists map[string]bool
}

// conditions are all that a bundle depends on besides its request and the files on disk: two
// bundles for one request, built under equal conditions, are equal.
type conditions struct {
	index    weak.Pointer[indexer.Snapshot]
	docs     weak.Pointer[session.Documents] // nil when no buffer overlays the index
	memory   uint64                          // its generation
	faded    int64                           // how far the effect of use has faded, in steps
	settings uint64
	personal uint64
	folder   string // the root's URI from the client, and the position encoding
}

// fileStamp is the state of a file when a bundle read it.
type fileStamp struct {
	path     string
	size     int64
	modified int64 // in nanoseconds
}

func newWarm() *warm { return &warm{bundles: map[warmKey]*warmBundle{}} }

// put adds a bundle; of too many the oldest is removed.
func (w *warm) put(key warmKey, b *warmBundle) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropLocked(key)
	w.bundles[key] = b
	if w.order = append(w.order, key); len(w.order) > maxWarm {
		w.dropLocked(w.order[0])
	}
}

func (w *warm) dropLocked(key warmKey) {
	if w.bundles[key] != nil {
		delete(w.bundles, key)
		w.order = slices.DeleteFunc(w.order, func(k warmKey) bool { return k == key })
	}
}

// get returns the bundle of a request if it was built from the current state; nil otherwise. It
// removes an outdated one.
func (w *warm) get(key warmKey, now conditions) *warmBundle {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.bundles[key]
	if b == nil || b.conditions == now {
		return b
	}
	w.dropLocked(key)
	return nil
}

// has reports whether there is a bundle for a request.
func (w *warm) has(key warmKey) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bundles[key] != nil
}

// drop removes a request's bundle.
func (w *warm) drop(key warmKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropLocked(key)
}

// clear removes all bundles of a root.
func (w *warm) clear(root string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range slices.Clone(w.order) {
		if key.root == root {
			w.dropLocked(key)
		}
	}
}

// keyOf returns the key of a request: its answer does not depend on the deadline or on whether its
// text is wanted.
func keyOf(r *session.RootView, args *command.BundleArgs) warmKey {
	a := *args
	a.Scope, a.DeadlineMS, a.IncludeText = command.Scope{}, 0, true
	raw, err := json.Marshal(a)
	if err != nil {
		panic(fmt.Sprintf("server: arguments not encoded: %v", err)) // they were decoded from JSON
	}
	return warmKey{rootPath(r), xxh3.Hash128(raw)}
}

// requestOf returns a copy of a request; placing it changes the original.
func (c bundleCommands) requestOf(args *command.BundleArgs) *command.BundleArgs {
	a := *args
	return &a
}

// conditionsOf returns the current conditions of a request and a source; ok is false when its
// bundles cannot be cached: a model may answer differently each time, and an incomplete one is soon
// outdated.
func (c bundleCommands) conditionsOf(args *command.BundleArgs, from *bundleInputs) (s conditions, ok bool) {
	r, src := from.root, from.source
	if r == nil || from.late || src.Base == nil || src.Behind || src.Models != nil || !r.Settings.Prediction.Enabled {
		return conditions{}, false
	}
	m := c.server.MemoryHolder.Opened()
	if m == nil && r.Settings.Memory.Enabled {
		return conditions{}, false
	}
	s = conditions{
		index: weak.Make(src.Base), settings: xxh3.HashString(fmt.Sprint(r.Settings.Explain())),
		personal: personalHash(c.personal(r, args.Exclude)), faded: c.server.Now().Truncate(memory.BoostStep).Unix(),
		folder: r.Path + "\x00" + string(c.Session.Encoding),
	}
	if m != nil {
		s.memory = m.Generation()
	}
	if src.Snapshot != src.Base {
		s.docs = weak.Make(c.Documents)
	}
	return s, true
}

func personalHash(list []bundle.Personal) uint64 {
	h := xxh3.New()
	for _, p := range list {
		for _, text := range []string{p.Name, p.URI, p.Text} {
			_, _ = h.WriteString(text + "\x00") // a hash never fails
		}
	}
	return h.Sum64()
}

// ready returns the bundle that was compiled in advance for a request; nil when there is no valid
// one.
func (c bundleCommands) ready(args *command.BundleArgs, from *bundleInputs) *builtBundle {
	w := c.server.foresight.warm
	key := keyOf(from.root, args)
	if !w.has(key) {
		return nil
	}
	now, ok := c.conditionsOf(args, from)
	if !ok {
		return nil
	}
	b := w.get(key, now)
	if b == nil {
		return nil
	}
	if !b.holds(from.root.Real) {
		w.drop(key)
		return nil
	}
	return b.builtBundle
}

// holds reports whether the files are unchanged.
func (b *warmBundle) holds(root string) bool {
	for _, f := range b.files {
		if g, ok := stampFile(root, f.path); !ok || g != f {
			return false
		}
	}
	for path, was := range b.exists {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path))); (err == nil) != was {
			return false
		}
	}
	return true
}

func stampFile(root, path string) (fileStamp, bool) {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return fileStamp{}, false
	}
	return fileStamp{path, info.Size(), info.ModTime().UnixNano()}, true
}

// warmRecord records what is needed to cache a bundle while it is being built.
type warmRecord struct {
	bundle *warmBundle
	root   string
	begun  time.Time
	place  string // of the document in focus, "" for none on disk

	mu sync.Mutex // guards bundle.exists
}

// keeping starts the record for a bundle that is about to be built; nil when it cannot be cached.
func (c bundleCommands) keeping(args *command.BundleArgs, from *bundleInputs) *warmRecord {
	k := &warmRecord{begun: time.Now()}
	now, ok := c.conditionsOf(args, from)
	if !ok {
		return nil
	}
	k.bundle, k.root = &warmBundle{conditions: now, exists: map[string]bool{}}, from.root.Real
	if args.TextDocument != nil {
		if path, ok := from.source.Path(args.TextDocument.URI); ok && from.source.Names[path] == "" {
			k.place = path
		}
	}
	return k
}

// watch records the bundle's questions whether files exist.
func (k *warmRecord) watch(req *bundle.Request) {
	look := req.Exists
	req.Exists = func(path string) bool {
		is := look(path)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.bundle.exists[path] = is
		return is
	}
}

// put caches the finished bundle, and reports whether it did: not an incomplete one, and not if a
// file was written meanwhile, which may have been read before or after.
func (k *warmRecord) put(w *warm, key warmKey, m *builtBundle) bool {
	if len(m.result.Degraded) > 0 {
		return false
	}
	read := m.bundle.Read
	if k.place != "" {
		read = append(slices.Clip(read), k.place)
	}
	var ok bool
	if k.bundle.files, ok = stampFiles(k.root, read, k.begun); !ok {
		return false
	}
	k.bundle.builtBundle = m
	w.put(key, k.bundle)
	return true
}

// settled is how long a file must have been unchanged before a bundle that read it is cached: file
// systems have a limited time resolution.
const settled = 20 * time.Millisecond

// stampFiles stamps the files that a bundle read after begun; ok is false when one may have changed
// since.
func stampFiles(root string, paths []string, begun time.Time) (out []fileStamp, ok bool) {
	for _, path := range paths {
		f, ok := stampFile(root, path)
		if !ok || begun.UnixNano()-f.modified < int64(settled) {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}
