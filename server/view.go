package server

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/settings"
	"golang.org/x/text/unicode/norm"
)

// view is the state of a session as one request sees it: that of its place in the order of messages. Immutable.
type view struct {
	session  *Session
	docs     *documents
	roots    []rootView
	settings settings.Settings // where no root is concerned
	scanner  *secrets.Scanner  // the same
	renaming chan struct{}     // as the session's
}

// rootView is a root in a view.
type rootView struct {
	*root
	settings settings.Settings
	scanner  *secrets.Scanner
	opening  *opening
}

// view takes the state. It is called on the handler's goroutine.
func (s *Session) view() *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshLocked()
	v := &view{session: s, docs: s.docs, settings: s.base, scanner: s.scanner, renaming: s.renaming}
	for _, r := range s.roots {
		r.retryLocked()
		v.roots = append(v.roots, rootView{r, r.settings, r.scanner, r.opening})
	}
	return v
}

// root gives the root that a command concerns: the one that is named, or the only one. nil without an error says
// that there is none at all.
func (v *view) root(uri string) (*rootView, error) {
	if uri != "" {
		if path, ok := filePath(uri); ok {
			if i := v.rootAt(path); i >= 0 {
				return &v.roots[i], nil
			}
		}
		return nil, command.NotFound(fmt.Sprintf("workspace %q", uri))
	}
	switch len(v.roots) {
	case 0:
		return nil, nil
	case 1:
		return &v.roots[0], nil
	}
	return nil, command.InvalidParams("workspace", "is required, because %d roots are open", len(v.roots))
}

// redact takes secrets out of a text that came with a request or from a file, by the settings of a root or of none.
func (v *view) redact(r *rootView, text string) string {
	scanner := v.scanner
	if r != nil {
		scanner = r.scanner
	}
	if scanner == nil { // no settings have been read yet
		scanner = v.session.server.scanners.of(nil)
	}
	text, _ = scanner.Redact(text)
	return text
}

// rootAt gives the index of the root that is opened by a path, or is the folder that it leads to; -1 for none.
func (v *view) rootAt(path string) int {
	if i := slices.IndexFunc(v.roots, func(r rootView) bool { return r.path == path }); i >= 0 {
		return i
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(v.roots, func(r rootView) bool { return r.real == real })
}

// query is a text to search with: without secrets, and in the normal form in which words are kept.
func (v *view) query(r *rootView, text string) string { return norm.NFC.String(v.redact(r, text)) }

// searched is what a request searches.
type searched struct {
	index      *indexer.Index
	base       *indexer.Snapshot // what the index has; nil where there is nothing yet
	snapshot   *indexer.Snapshot // with the unsaved buffers; nil where there is nothing yet
	release    func()
	root       *rootView         // nil where there is no root
	models     *modelServer      // nil where none may be asked
	opening    *opening          // nil where there is no root
	overloaded bool              // there was no time to search
	behind     bool              // the index is behind the disk
	names      map[string]string // URIs of what lies nowhere on disk, by their path in the snapshot
}

// lacks says what the answers of a source that is not complete lack.
func (s *searched) lacks() []command.Degradation {
	var out []command.Degradation
	switch {
	case s.overloaded:
		out = append(out, command.Degradation{Stage: "index", Reason: "overloaded", Detail: tooLateDetail})
	case s.snapshot == nil:
		out = append(out, command.Degradation{Stage: "index", Reason: "indexing", Detail: "the index is being opened"})
	case s.behind:
		out = append(out, command.Degradation{Stage: "index", Reason: "indexing", Detail: "files changed that are not indexed yet"})
	}
	return append(out, s.lacksModel()...)
}

// open takes a snapshot of the root's index with the view's buffers over it. It goes without an index that is still
// being opened: see [commands.await].
func (v *view) open(ctx context.Context, r *rootView) (*searched, error) {
	if r == nil {
		return v.openScratch(ctx)
	}
	x, err := r.opening.now()
	if err != nil {
		return nil, err
	}
	src := &searched{index: x, root: r, opening: r.opening, behind: true, release: func() {}}
	if x == nil {
		return src, nil
	}
	src.behind, src.models = behind(x.Status()), r.opening.models()
	src.models.use()
	src.base, src.release = x.Snapshot()
	src.snapshot, src.names = r.overlay.over(ctx, x, src.base, v.docs, v.session.server.now())
	return src, nil
}

// behind reports whether the index lacks something that is on the disk.
func behind(st indexer.Status) bool {
	return st.Queue > 0 || st.IndexedAt.IsZero() || st.State == indexer.Scanning
}

// uri gives the URI of a path in the source.
func (s *searched) uri(path string) string {
	if uri, ok := s.names[path]; ok {
		return uri
	}
	if s.root == nil {
		return path
	}
	return fileURI(s.root.path + "/" + path)
}

// path gives the path in what is searched, of a document, "" and false where it is not in it.
func (s *searched) path(uri string) (string, bool) {
	if _, ok := s.names[uri]; ok {
		return uri, true
	}
	path, ok := filePath(uri)
	if !ok || s.root == nil || s.index == nil {
		return "", false
	}
	return s.index.Tree().Rel(path)
}
