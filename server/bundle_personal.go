package server

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/memory/utterance"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
)

// maxPersonalBytes is the size above which a file is not read as preferences.
const maxPersonalBytes = 256 << 10

// personalFiles caches the person's own files, and how probably sentences of them are rules. Safe
// for concurrent use.
type personalFiles struct {
	mu    sync.Mutex // guards the maps
	files map[string]personalFile
	rules map[string]float64 // by sentence
}

type personalFile struct {
	size int64
	mod  time.Time
	text string
}

// personal returns identity and preferences for a bundle: the person's own before the project's. It
// skips files that are missing, not text, too large or outside the root, links to a file that it
// has already, texts that differ from an earlier one in white space at most, and those that only
// import files that it has.
func (c bundleCommands) personal(r *session.RootView, exclude []string) []bundle.Personal {
	var out []bundle.Personal
	seen := seenTexts{}
	add := func(identity bool, name, path, inRoot string) {
		text := c.Redact(r, c.personalText(path, inRoot))
		if !seen.add(path, text) {
			return
		}
		out = append(out, bundle.Personal{Identity: identity, Name: name, URI: transport.FileURI(path), Text: text})
	}
	set := c.settingsOf(r)
	dir := c.Session.Options.ConfigDir
	rootPath := ""
	if r != nil {
		rootPath = r.Path
	}
	switch file := c.expand(set.Identity.File, rootPath); {
	case file != "" && set.Source("identity.file") == workspaceSource(rootPath):
		if c.admitted(r, file) {
			add(true, filepath.Base(file), file, rootPath)
		}
	case file != "":
		add(true, filepath.Base(file), file, "")
	case dir != "":
		add(true, "identity.md", filepath.Join(dir, "identity.md"), "")
	}
	if dir != "" {
		add(false, "preferences.md", filepath.Join(dir, "preferences.md"), "")
	}
	excluded, own := newGlobs(exclude), set.Source("preferences.files") != workspaceSource(rootPath)
	for _, name := range set.Preferences.Files {
		switch {
		case filepath.IsAbs(name) || strings.HasPrefix(name, "~/"):
			if own {
				add(false, filepath.Base(name), c.expand(name, rootPath), "")
			}
		case !own && !c.admitted(r, filepath.Join(rootPath, name)):
		case rootPath != "" && filepath.IsLocal(name) && !excluded.match(filepath.ToSlash(filepath.Clean(name))):
			add(false, filepath.ToSlash(filepath.Clean(name)), filepath.Join(rootPath, name), rootPath)
		}
	}
	return out
}

// seenTexts are the resolved paths and the words of texts.
type seenTexts map[string]bool

// add notes a text and reports whether it says what none before it does. One of nothing but
// imports, @ and the path of a file, says nothing besides these.
func (s seenTexts) add(path, text string) bool {
	words := strings.Fields(text)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path // of an open document without a file
	}
	imports := func(word string) bool {
		file, ok := strings.CutPrefix(word, "@")
		return ok && s["file "+filepath.Join(filepath.Dir(real), filepath.FromSlash(file))]
	}
	file, said := "file "+real, "text "+strings.Join(words, " ")
	if s[file] || s[said] || !slices.ContainsFunc(words, func(word string) bool { return !imports(word) }) {
		return false
	}
	s[file], s[said] = true, true
	return true
}

// admitted reports whether the ignore rules of a root admit a file that the repository's own
// settings name: they must not expose what is kept out of the index. A file that a person names is
// always admitted.
func (c bundleCommands) admitted(r *session.RootView, path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	root, err := filepath.EvalSymlinks(r.Path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false
	}
	if x, err := r.Opening.Now(); err == nil && x != nil {
		return x.Tree().Admit(rel)
	}
	t, err := c.server.Tree(r.Path, r.Settings)
	return err == nil && t.Admit(rel)
}

// workspaceSource returns the name of a root's settings file as a source of settings.
func workspaceSource(root string) string { return filepath.Join(root, settings.WorkspaceFile) }

// expand returns a path of the settings as an absolute path.
func (c bundleCommands) expand(path, root string) string {
	rest, home := strings.CutPrefix(path, "~/")
	switch {
	case path == "" || filepath.IsAbs(path):
		return path
	case home:
		dir := c.Session.Options.Home
		if dir == "" {
			dir, _ = os.UserHomeDir() // without one the file is not found, as intended
		}
		return filepath.Join(dir, rest)
	case root == "":
		return ""
	}
	return filepath.Join(root, path)
}

// personalText returns a file's text: that of its open document, if the file is in a root, else
// that on disk.
func (c bundleCommands) personalText(path, root string) string {
	if text, ok := c.Buffer(path); ok && len(text) <= maxPersonalBytes && confined(path, root) {
		return text
	}
	return c.server.personal.read(path, root)
}

// confined reports whether a file, which need not exist yet, is inside a root with all links
// resolved.
func confined(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	if root == "" || err != nil || !filepath.IsLocal(rel) {
		return false
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return false
	}
	defer dir.Close()
	_, err = dir.Stat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = dir.Lstat(rel) // a dangling link is not a file that may be created
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil
}

// read returns a text file's content, "" for anything else. With a root, it opens nothing outside
// it, whatever links there are.
func (p *personalFiles) read(path, root string) string {
	info, open, done := opener(path, root)
	defer done()
	if info == nil || !info.Mode().IsRegular() || info.Size() > maxPersonalBytes {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.files[path]; ok && f.size == info.Size() && f.mod.Equal(info.ModTime()) {
		return f.text
	}
	text := readText(open)
	if p.files == nil || len(p.files) >= maxPersonalFiles {
		p.files = map[string]personalFile{}
	}
	p.files[path] = personalFile{info.Size(), info.ModTime(), text}
	return text
}

// isRule returns the probability that a sentence is a rule.
func (p *personalFiles) isRule(sentence string) float64 {
	p.mu.Lock()
	rate, known := p.rules[sentence]
	p.mu.Unlock()
	if known {
		return rate
	}
	rate = utterance.Score(sentence, utterance.Person, "")[utterance.Directive]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rules == nil || len(p.rules) >= maxPersonalSentences {
		p.rules = map[string]float64{}
	}
	p.rules[sentence] = rate
	return rate
}

// maxPersonalFiles and maxPersonalSentences bound the caches.
const maxPersonalFiles, maxPersonalSentences = 256, 8192

// opener returns a file's info, nil when it does not exist, and a function that opens it. done must
// be called at the end.
func opener(path, root string) (info os.FileInfo, open func() (*os.File, error), done func()) {
	nothing := func() {}
	if root == "" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, nothing
		}
		return info, func() (*os.File, error) { return os.OpenFile(path, readNow, 0) }, nothing
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, nil, nothing
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, nothing
	}
	done = func() { _ = dir.Close() } // opened read-only
	info, err = dir.Stat(rel)
	if err != nil {
		return nil, nil, done
	}
	return info, func() (*os.File, error) { return dir.OpenFile(rel, readNow, 0) }, done
}

// readNow opens a file for reading without waiting for a writer: it may have been replaced with a
// pipe since it was examined.
const readNow = os.O_RDONLY | syscall.O_NONBLOCK

func readText(open func() (*os.File, error)) string {
	f, err := open()
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(f, maxPersonalBytes+1))
	if err != nil || len(data) > maxPersonalBytes || bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return ""
	}
	return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
}
