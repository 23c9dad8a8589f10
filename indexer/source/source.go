// Package source says which files of a workspace are indexed and reads them. The one file that it
// writes is the root's .contextureignore, on request (EditIgnore).
//
// It joins four sets of rules, highest first:
//
//  1. index.include brings a path back (never a binary, never out of the root, never what this program writes);
//  2. index.exclude leaves it out;
//  3. Git's ignore rules (nested .gitignore, .git/info/exclude, the person's
//     global file), with .contextureignore as a later rule file of the same
//     folder; they hold where there is no .git as well;
//  4. built-in rules: installed packages, caches, build output, files that
//     hold secrets, lock files, and by content binaries, generated and
//     minified text.
//
// Nothing outside the root is ever opened: a path is opened folder by folder
// without following links, and a link (only where links are followed at all)
// is resolved first and its target opened in the same way. What lies behind a
// link must be admitted by its own path too. A hard link cannot be told from
// the file itself and is one.
//
// Files that are known to hold secrets by their names are left out, and what
// Read gives of the others has passed Options.Redact.
//
// Use Walk to list, Read to get text, Admit for a path that may not exist
// (an unsaved buffer), NewCheck to admit by the rules of this moment before
// something is shown, Decide to explain. A Tree is safe for concurrent use.
package source

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultMaxFileBytes is the size above which a file is not indexed.
const DefaultMaxFileBytes = 1 << 20

// Options says where a workspace is and what its settings are. Only Root is
// required.
type Options struct {
	Root             string
	Include, Exclude []string // index.include, index.exclude: doublestar globs relative to the root; a folder that matches stands for all below it
	MaxFileBytes     int64    // index.maxFileBytes; 0 is DefaultMaxFileBytes
	FollowLinks      bool     // index.followLinks: links whose target is inside the root
	GlobalIgnore     string   // path of the person's ignore file; empty: found as Git does
	Home             string   // home folder; empty: the environment's
	// Own are absolute paths, existing or not, of files and folders that this program writes, such
	// as its state directory. They are neither indexed nor watched nor walked, and Include does not
	// bring them back.
	Own []string
	// Redact gives what of a text may be kept and shown; nil: all of it. Read applies it, so that
	// no reader sees more. It keeps the number of lines, does not change what it is given, may give
	// it back, and must be safe for concurrent use. path is relative to the root, "" for a text of
	// no file.
	Redact func(path string, text []byte) []byte
}

// Reason says why a path is not indexed. The empty reason is "indexed".
type Reason string

// The reasons. Their texts are part of what index.status counts.
const (
	Indexed     Reason = ""
	Ignored     Reason = "ignored"  // by Git's rules or .contextureignore
	Excluded    Reason = "excluded" // by index.exclude, or a file that holds secrets
	Vendored    Reason = "vendored" // installed packages, caches, build output
	Binary      Reason = "binary"
	TooLarge    Reason = "tooLarge"
	Generated   Reason = "generated"
	Minified    Reason = "minified"
	Link        Reason = "link" // not followed, a loop, or out of the root
	OutsideRoot Reason = "outsideRoot"
	Unreadable  Reason = "unreadable"
	Special     Reason = "special" // socket, fifo, device
	NotFound    Reason = "notFound"
	Directory   Reason = "directory"
)

// Rule is what decided about a path.
type Rule struct {
	Pattern string // as written; for a built-in rule with its meaning in parentheses
	Source  string // ignore file relative to the root (absolute when outside it), "index.exclude", "index.include" or "built-in"
	Line    int    // from 1; 0 where there are no lines
}

// Decision is the answer to "why is this path (not) indexed?". Rule is nil
// for a path that no rule mentions.
type Decision struct {
	Indexed bool
	Reason  Reason
	Rule    *Rule
}

// Entry is a regular file. Path is relative to the root with slashes, its
// bytes as the file system has them (they need not be UTF-8). Size is in
// bytes. Changed is when content or status changed last, by the system's own
// clock. For a followed link, Link is true and the rest is the target's.
type Entry struct {
	Path    string
	Size    int64
	ModTime time.Time
	Changed time.Time
	Inode   uint64
	Link    bool
}

// Tree is one root with its rules. Its methods may be called concurrently.
type Tree struct {
	opts     Options
	root     string // absolute, links resolved
	given    string // absolute, as the caller wrote it
	name     string // of root, in lower case
	dev      uint64 // of the file system that root lies in
	identity *rootIdentity
	own      []string // what of Options.Own lies in root, relative to it

	include, exclude globs

	edit   sync.Mutex // one EditIgnore at a time
	reload sync.Mutex // one Reload at a time
	rules  atomic.Pointer[rules]
}

// Open checks the root and reads the rules that hold for all of it. The
// error names the root and says what is wrong with it; ErrUnsafeRoot marks
// the one that a project marker would cure, ErrOwn a root in Options.Own.
func Open(opts Options) (*Tree, error) {
	if opts.MaxFileBytes <= 0 {
		opts.MaxFileBytes = DefaultMaxFileBytes
	}
	if opts.Home == "" {
		opts.Home = environmentHome()
	}
	t := &Tree{opts: opts, identity: new(rootIdentity)}
	var err error
	if t.given, t.root, err = checkRoot(opts.Root, opts.Home); err != nil {
		return nil, err
	}
	t.name = lowerASCII(filepath.Base(t.root))
	if t.dev, err = t.device(); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", t.root, err)
	}
	if err := t.setOwn(); err != nil {
		return nil, err
	}
	if t.include, err = parseGlobs(indexInclude, opts.Include); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", t.root, err)
	}
	if t.exclude, err = parseGlobs(indexExclude, opts.Exclude); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", t.root, err)
	}
	t.Reload()
	return t, nil
}

// Redact applies Options.Redact to a text that does not come through Read: a
// buffer, a commit's message.
func (t *Tree) Redact(path string, text []byte) []byte {
	if t.opts.Redact == nil {
		return text
	}
	return t.opts.Redact(path, text)
}

// Root returns the root's absolute path with links resolved.
func (t *Tree) Root() string { return t.root }

// Reload forgets all rules and reads them again, each folder's when it is
// next asked about. Answers being computed meanwhile use the old ones.
func (t *Tree) Reload() {
	t.reload.Lock()
	defer t.reload.Unlock()
	t.rules.Store(newRules(t))
}

// Rel turns an absolute path into one relative to the root, "" for the root
// itself. It compares names, both with the root as it was given and with its
// links resolved; only a path outside both is resolved itself. Links inside
// the root are kept: Decide and Read judge them.
func (t *Tree) Rel(abs string) (string, bool) {
	if !filepath.IsAbs(abs) {
		return "", false
	}
	abs = filepath.Clean(abs)
	for _, root := range []string{t.root, t.given} {
		if rel, ok := below(root, abs); ok {
			return rel, true
		}
	}
	return below(t.root, resolved(abs))
}

// resolved follows the links in an absolute path, of which only a part may exist. What cannot be
// resolved stays.
func resolved(abs string) string {
	rest := ""
	for dir := abs; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// below returns abs relative to root with slashes, when it is inside.
func below(root, abs string) (string, bool) {
	root, abs = filepath.ToSlash(root), filepath.ToSlash(abs)
	if isSameName(abs, root) {
		return "", true
	}
	if !strings.HasSuffix(root, "/") {
		root += "/"
	}
	if len(abs) < len(root) || !isSameName(abs[:len(root)], root) {
		return "", false
	}
	return abs[len(root):], true
}

// clean brings a relative path into the one form used as a key: slashes, no
// dots, "" for the root. It reports false for a path that leaves the root, and for one that the
// system takes for another.
func clean(rel string) (string, bool) {
	if strings.HasPrefix(rel, "/") || strings.IndexByte(rel, 0) >= 0 {
		return "", false
	}
	rel = path.Clean(rel)
	if !isSpelledOnce(rel) {
		return "", false
	}
	switch {
	case rel == ".":
		return "", true
	case rel == "..", strings.HasPrefix(rel, "../"):
		return "", false
	}
	return rel, true
}
