// Package source decides which files of a workspace are indexed, and reads them. The only file that
// it writes is the root's .contextureignore, on request (EditIgnore).
//
// It combines four sets of rules, highest precedence first:
//
//  1. index.include re-includes a path (never a binary, never outside the root, never what this
//     program writes);
//  2. index.exclude excludes it;
//  3. Git's ignore rules (nested .gitignore, .git/info/exclude, the user's global file), with
//     .contextureignore as a later rule file of the same folder; they apply without a .git as well;
//  4. built-in rules: installed packages, caches, build output, linked work trees, files that hold
//     secrets, lock files, and by content binaries, pointers, generated and minified text.
//
// Nothing outside the root is ever opened: a path is opened folder by folder without following
// links, and a link (only if links are followed at all) is resolved first and its target opened in
// the same way. The target of a link must be admitted by its own path too. A hard link cannot be
// distinguished from the file itself and counts as one.
//
// Files whose names mark them as secret are left out, and the text that Read returns for the others
// has passed Options.Redact.
//
// Use Walk to list, Read to get text, Admit for a path that may not exist (an unsaved buffer),
// NewCheck to admit by the rules on disk before something is shown, Decide to explain. A Tree is
// safe for concurrent use.
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

// Options hold a workspace's root and settings. Only Root is required.
type Options struct {
	Root             string
	Include, Exclude []string // index.include, index.exclude: doublestar globs relative to the root; a folder that matches stands for all below it
	MaxFileBytes     int64    // index.maxFileBytes; 0 is DefaultMaxFileBytes
	FollowLinks      bool     // index.followLinks: links whose target is inside the root
	GlobalIgnore     string   // path of the user's ignore file; empty: found as Git does
	Home             string   // home folder; empty: the environment's
	// Own are absolute paths, existing or not, of files and folders that this program writes, such
	// as its state directory. They are neither indexed nor watched nor walked, and Include does not
	// bring them back.
	Own []string
	// Redact returns the part of a text that may be kept and shown; nil keeps all of it. Read
	// applies it, so that no caller sees more. It must keep the number of lines and must not change
	// its argument, which it may return; it must be safe for concurrent use. path is relative to
	// the root, "" for a text that is not of a file.
	Redact func(path string, text []byte) []byte
	// Now is the clock by which a check judges whether a text that it read may be kept for the
	// next; nil keeps none.
	Now func() time.Time
}

// Reason states why a path is not indexed. The empty reason means "indexed".
type Reason string

// The reasons. index.status counts by their texts.
const (
	Indexed     Reason = ""
	Ignored     Reason = "ignored"  // by Git's rules or .contextureignore
	Excluded    Reason = "excluded" // by index.exclude; a file that holds secrets, a linked work tree, a pointer
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

// Rule is the rule that decided about a path.
type Rule struct {
	Pattern string // as written; for a built-in rule with its meaning in parentheses
	Source  string // ignore file relative to the root (absolute when outside it), "index.exclude", "index.include" or "built-in"
	Line    int    // from 1; 0 for a rule without a line
}

// Decision states why a path is or is not indexed. Rule is nil for a path that no rule mentions.
type Decision struct {
	Indexed bool
	Reason  Reason
	Rule    *Rule
}

// Entry is a regular file. Path is relative to the root with slashes, in the bytes of the file
// system (not necessarily UTF-8). Size is in bytes. Changed is the time of the last change of
// content or status, by the system's own clock. For a followed link, Link is true and the rest is
// the target's.
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
	opts  Options
	root  *rootFolder
	given string   // the root's absolute path as the caller wrote it
	name  string   // base name of root, in lower case
	own   []string // the paths of Options.Own inside root, relative to it

	include, exclude globs

	edit   sync.Mutex // one EditIgnore at a time
	reload sync.Mutex // one Reload at a time
	rules  atomic.Pointer[rules]
	texts  texts // that checks read
}

// Open checks the root and reads the rules that apply to all of it. The error names the root and
// states what is wrong with it; it wraps ErrUnsafeRoot if a project marker would help, and ErrOwn
// for a root in Options.Own.
func Open(opts Options) (*Tree, error) {
	if opts.MaxFileBytes <= 0 {
		opts.MaxFileBytes = DefaultMaxFileBytes
	}
	if opts.Home == "" {
		opts.Home = environmentHome()
	}
	given, root, err := checkRoot(opts.Root, opts.Home)
	if err != nil {
		return nil, err
	}
	t := &Tree{opts: opts, given: given, name: lowerASCII(filepath.Base(root))}
	if t.root, err = newRootFolder(root); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", root, err)
	}
	if err := t.setOwn(); err != nil {
		return nil, err
	}
	if t.include, err = parseGlobs(indexInclude, opts.Include); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", t.root.path, err)
	}
	if t.exclude, err = parseGlobs(indexExclude, opts.Exclude); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", t.root.path, err)
	}
	t.Reload()
	return t, nil
}

// Redact applies Options.Redact to a text that does not come from Read: a buffer, a commit's
// message.
func (t *Tree) Redact(path string, text []byte) []byte {
	if t.opts.Redact == nil {
		return text
	}
	return t.opts.Redact(path, text)
}

// Root returns the root's absolute path with links resolved.
func (t *Tree) Root() string { return t.root.path }

// Reload discards all rules and reads them again, each folder's on its next use. Calls in progress
// use the old rules.
func (t *Tree) Reload() {
	t.reload.Lock()
	defer t.reload.Unlock()
	t.rules.Store(newRules(t))
}

// Rel converts an absolute path into one relative to the root, "" for the root itself. It compares
// names, both with the root as given and with its links resolved; it resolves the path itself only
// if that is outside both. Links inside the root are kept: Decide and Read judge them.
func (t *Tree) Rel(abs string) (string, bool) {
	if !filepath.IsAbs(abs) {
		return "", false
	}
	abs = filepath.Clean(abs)
	for _, root := range []string{t.root.path, t.given} {
		if rel, ok := below(root, abs); ok {
			return rel, true
		}
	}
	return below(t.root.path, resolved(abs))
}

// resolved follows the links in an absolute path, of which only a part may exist. The part that
// cannot be resolved is kept.
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

// below returns abs relative to root with slashes, if it is inside.
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

// clean converts a relative path into the form that is used as a key: slashes, no dots, "" for the
// root. It reports false for a path that leaves the root, and for one that the system resolves to
// another name.
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
