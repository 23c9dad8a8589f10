package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
	"golang.org/x/text/unicode/norm"
)

// OverloadedDetail is why an answer was made without a search, for a person.
const OverloadedDetail = "other requests used all of the time"

// Overloaded returns the source of a command that has no time to search.
func Overloaded(r *RootView) *Source {
	src := &Source{Root: r, overloaded: true, Release: func() {}}
	if r != nil {
		src.opening = r.Opening
	}
	return src
}

// View is the state of a session as one request sees it: at its position in the order of messages.
// Immutable.
type View struct {
	Session   *Session
	Documents *Documents
	Roots     []RootView
	Settings  settings.Settings // without a root
	scanner   *secrets.Scanner  // the same
	renaming  chan struct{}     // of the session
}

// RootView is a root in a view.
type RootView struct {
	*Root
	Settings settings.Settings
	scanner  *secrets.Scanner
	Opening  *Opening
}

// View takes the state at this message. It must be called in the order of the messages.
func (s *Session) View() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshLocked()
	v := &View{Session: s, Documents: s.docs, Settings: s.base, scanner: s.scan.scanner, renaming: s.renaming}
	for _, r := range s.roots {
		r.retryLocked()
		v.Roots = append(v.Roots, RootView{r, r.settings, r.scan.scanner, r.opening})
	}
	return v
}

// Root returns the root that a command concerns: the named one, or the only one. It returns nil
// without an error when there is no root.
func (v *View) Root(uri string) (*RootView, error) {
	if uri != "" {
		if path, ok := transport.FilePath(uri); ok {
			if i := v.rootAt(path); i >= 0 {
				return &v.Roots[i], nil
			}
		}
		return nil, command.NotFound(fmt.Sprintf("workspace %q", uri))
	}
	switch len(v.Roots) {
	case 0:
		return nil, nil
	case 1:
		return &v.Roots[0], nil
	}
	return nil, command.InvalidParams("workspace", "is required, because %d roots are open", len(v.Roots))
}

// Redact removes secrets from a text of a request or a file, by the settings of a root or those
// without a root.
func (v *View) Redact(r *RootView, text string) string {
	scanner := v.scanner
	if r != nil {
		scanner = r.scanner
	}
	if scanner == nil { // no settings have been read yet
		scanner = v.Session.engine.Scanners.Of(nil)
	}
	text, _ = scanner.Redact(text)
	return text
}

// rootAt returns the index of the root that is opened by a path, or is the folder that it leads to;
// -1 for none.
func (v *View) rootAt(path string) int {
	if i := slices.IndexFunc(v.Roots, func(r RootView) bool { return r.Path == path }); i >= 0 {
		return i
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(v.Roots, func(r RootView) bool { return r.Real == real })
}

// RootOf returns the innermost root that contains a document; nil for none.
func (v *View) RootOf(uri string) *RootView {
	path, ok := transport.FilePath(uri)
	if !ok {
		if len(v.Roots) == 1 {
			return &v.Roots[0]
		}
		return nil
	}
	var best *RootView
	for i := range v.Roots {
		r := &v.Roots[i]
		if rel, ok := engine.Below(path, r.Path, r.Real); ok && rel != "." && (best == nil || len(r.Path) > len(best.Path)) {
			best = r
		}
	}
	return best
}

// RootAtReal returns a root by its real path; nil for none.
func (v *View) RootAtReal(real string) *RootView {
	for i := range v.Roots {
		if v.Roots[i].Real == real {
			return &v.Roots[i]
		}
	}
	return nil
}

// Buffer returns the text of the open document at an absolute path; ok is false when none is open.
func (v *View) Buffer(path string) (text string, ok bool) {
	d := v.Documents.get("file:" + path)
	if d == nil {
		return "", false
	}
	return d.text, true
}

// Query returns a text as a search query: without secrets, and in the normal form of indexed words.
func (v *View) Query(r *RootView, text string) string { return norm.NFC.String(v.Redact(r, text)) }

// Source is the data that a request searches. It is for the request's goroutines, until Release.
type Source struct {
	index      *indexer.Index
	Base       *indexer.Snapshot // of the index; nil when there is nothing yet
	Snapshot   *indexer.Snapshot // with the unsaved buffers; nil when there is nothing yet
	Release    func()
	Root       *RootView           // nil without a root
	Models     *engine.ModelServer // nil when no model may be asked
	opening    *Opening            // nil without a root
	overloaded bool                // there was no time to search
	refused    string              // why the root has no index; "" unless it is not a project
	Behind     bool                // the index is behind the disk
	Names      map[string]string   // URIs of documents that are not on disk, by their path in the snapshot
}

// Lacks returns the degradations of answers from an incomplete source.
func (s *Source) Lacks() []command.Degradation {
	var out []command.Degradation
	switch {
	case s.overloaded:
		out = append(out, command.Degradation{Stage: "index", Reason: "overloaded", Detail: OverloadedDetail})
	case s.refused != "":
		out = append(out, command.Degradation{Stage: "index", Reason: "error", Detail: "code is not searched here: " + s.refused})
	case s.Snapshot == nil:
		out = append(out, command.Degradation{Stage: "index", Reason: "indexing", Detail: "the index is being opened"})
	case s.Behind:
		out = append(out, command.Degradation{Stage: "index", Reason: "indexing", Detail: "files changed that are not indexed yet"})
	}
	return append(out, s.lacksModel()...)
}

// NotIndexed counts the files of the root that are not in the index, by reason.
func (s *Source) NotIndexed() []command.SkipCount { return skipCounts(s.index.Status()) }

// Open takes a snapshot of the root's index with the view's buffers over it, and does not wait for
// an index that is still being opened. The caller must call Release. Errors are those of
// [Opening.Now].
func (v *View) Open(ctx context.Context, r *RootView) (*Source, error) {
	if r == nil {
		return v.openScratch(ctx)
	}
	x, err := r.Opening.Now()
	if err != nil {
		return nil, err
	}
	src := &Source{index: x, Root: r, opening: r.Opening, Behind: true, Release: func() {}}
	if x == nil {
		return src, nil
	}
	src.Behind, src.Models = behind(x.Status()), r.Opening.ModelServer()
	src.Models.Use()
	src.Base, src.Release = x.Snapshot()
	src.Snapshot, src.Names = r.overlay.over(ctx, x, src.Base, v.Documents, v.Session.engine.Now())
	return src, nil
}

// OpenForMemory is Open for a request that memory can answer alone: for a root that is not a
// project and so has no index, it opens the view's buffers only, and [Source.Lacks] has the reason.
func (v *View) OpenForMemory(ctx context.Context, r *RootView) (*Source, error) {
	src, refusal := v.Open(ctx, r)
	if refusal == nil || r == nil || !r.Opening.isUnsafe() {
		return src, refusal
	}
	src, err := v.openScratch(ctx)
	if err != nil {
		return nil, err
	}
	src.refused = refusal.Error()
	return src, nil
}

// behind reports whether the index lacks something that is on the disk.
func behind(st indexer.Status) bool {
	return st.Queue > 0 || st.IndexedAt.IsZero() || st.State == indexer.Scanning
}

// URI returns the URI of a path in the source.
func (s *Source) URI(path string) string {
	if uri, ok := s.Names[path]; ok {
		return uri
	}
	if s.Root == nil {
		return path
	}
	return transport.FileURI(s.Root.Path + "/" + path)
}

// Path returns the path of a document in the source; ok is false when it is not in it.
func (s *Source) Path(uri string) (path string, ok bool) {
	if _, ok := s.Names[uri]; ok {
		return uri, true
	}
	path, ok = transport.FilePath(uri)
	if !ok || s.Root == nil || s.index == nil {
		return "", false
	}
	return s.index.Tree().Rel(path)
}

// lacksModel returns the degradations for want of the embedding model: from the first answer on if
// a server is configured, otherwise once a server has had such a model.
func (s *Source) lacksModel() []command.Degradation {
	if s.opening == nil {
		return nil
	}
	set := s.opening.server.Load()
	if set == nil {
		return nil
	}
	m := s.Models
	if m == nil {
		m = s.opening.ModelServer()
	}
	if m == nil { // the index is still being opened, and follows the server afterwards
		return engine.LacksUnlinked(*set, s.opening.host)
	}
	if lack, settled := m.Lack(); settled || s.Snapshot == nil || s.Snapshot.Vectors().HasModel() || s.Snapshot.Chunks() == 0 {
		return lack
	}
	return m.LacksVectors(s.index.ModelStatus())
}
