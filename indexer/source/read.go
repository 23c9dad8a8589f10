package source

import (
	"bytes"
	"errors"
	"fmt"
)

// Stat returns a regular file's entry without opening it. The error wraps fs.ErrNotExist if the
// file does not exist, and states the reason for folders, links and special files.
func (t *Tree) Stat(rel string) (Entry, error) {
	rel, ok := clean(rel)
	if !ok {
		return Entry{}, &SkipError{Path: rel, Reason: OutsideRoot}
	}
	real, viaLink, reason, err := t.resolve(rel)
	if reason != Indexed {
		return Entry{}, &SkipError{Path: rel, Reason: reason, Err: err}
	}
	st, err := t.root.lstat(real)
	if err := kindError(&st, err); err != nil {
		return Entry{}, &SkipError{Path: rel, Reason: reasonFor(err), Err: err}
	}
	e := st.entry(rel)
	e.Link = viaLink
	return e, nil
}

// A SkipError states why a path is not a file that can be indexed.
type SkipError struct {
	Path   string
	Reason Reason
	Err    error // the system's, if any
}

func (e *SkipError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%q: %s: %v", e.Path, e.Reason, e.Err)
	}
	return fmt.Sprintf("%q: %s", e.Path, e.Reason)
}

func (e *SkipError) Unwrap() error { return e.Err }

// Read returns a file's text as UTF-8 without a byte order mark, as Extract returns it. It does not
// apply the ignore rules (see Admit), but the file's name and content must qualify for indexing:
// otherwise the text is nil and the reason is set. A generated, minified or secret file, or a
// pointer, is read if index.include or .contextureignore names it. Entry holds what is known even
// then. The error is set for Unreadable and NotFound only, and is a *SkipError. The text has passed
// Options.Redact and belongs to the caller.
func (t *Tree) Read(rel string) ([]byte, Entry, Reason, error) {
	text, entry, reason, _, err := t.read(rel)
	if reason == Indexed && err == nil {
		text = t.Redact(entry.Path, text)
	}
	return text, entry, reason, err
}

// Redactions returns by how much Options.Redact raises the counts that count returns for a file's
// text. It returns nothing if Redact removes nothing or the file's name or content does not qualify
// for indexing. count receives the text as it is on disk and must not keep it: the caller sees only
// numbers. Each call of count must return a new map. Errors are those of Read.
func (t *Tree) Redactions(rel string, count func(text []byte) map[string]int) (map[string]int, error) {
	text, entry, reason, _, err := t.read(rel)
	if reason != Indexed || err != nil {
		return nil, err
	}
	redacted := t.Redact(entry.Path, text)
	if bytes.Equal(redacted, text) {
		return nil, nil
	}
	out := count(redacted)
	for what, n := range count(text) {
		if out[what] -= n; out[what] <= 0 {
			delete(out, what)
		}
	}
	return out, nil
}

func (t *Tree) read(rel string) (text []byte, e Entry, reason Reason, rule *Rule, err error) {
	rel, ok := clean(rel)
	if !ok {
		return nil, Entry{Path: rel}, OutsideRoot, nil, nil
	}
	e.Path = rel
	fail := func(err error) ([]byte, Entry, Reason, *Rule, error) {
		reason := reasonFor(err)
		if reason == Unreadable || reason == NotFound {
			return nil, e, reason, nil, &SkipError{Path: rel, Reason: reason, Err: err}
		}
		return nil, e, reason, nil, nil
	}
	real, viaLink := rel, false
	file, st, err := t.root.open(rel)
	if errors.Is(err, errLink) {
		if real, viaLink, reason, err = t.resolve(rel); err != nil {
			return fail(err)
		}
		if reason != Indexed {
			return nil, e, reason, nil, nil
		}
		file, st, err = t.root.open(real)
	}
	if err != nil {
		return fail(err)
	}
	defer closeFile(file)
	e = st.entry(rel)
	e.Link = viaLink
	reason, rule = t.nameRule(real)
	if reason == Binary || reason != Indexed && !t.named(rel) {
		return nil, e, reason, rule, nil
	}
	text, reason, rule, err = t.text(file, st.size, baseName(real))
	switch {
	case err != nil:
		return fail(err)
	case text != nil && reason != Indexed && t.named(rel):
		return text, e, Indexed, nil, nil
	case reason != Indexed:
		return nil, e, reason, rule, nil
	}
	return text, e, Indexed, nil, nil
}

// text reads an open file. If a rule about its text leaves it out, both the text and the reason are
// returned.
func (t *Tree) text(file fileHandle, size int64, name string) ([]byte, Reason, *Rule, error) {
	limit := t.maxBytes(name)
	if size > limit {
		return nil, TooLarge, t.sizeRule(), nil
	}
	data, err := readLimited(file, size, limit+1)
	if err != nil {
		return nil, Unreadable, nil, err
	}
	if int64(len(data)) > limit { // it grew while it was read
		return nil, TooLarge, t.sizeRule(), nil
	}
	text, isText := decode(data)
	if !isText {
		return nil, Binary, &Rule{Pattern: "a NUL or many control bytes at its start (not text)", Source: builtIn}, nil
	}
	if text = Extract(name, text); int64(len(text)) > t.opts.MaxFileBytes {
		return nil, TooLarge, t.sizeRule(), nil
	}
	reason, rule := textRule(name, text)
	return text, reason, rule, nil
}

// named reports whether a setting or .contextureignore re-includes this file by name, so that the
// built-in rules about its content do not apply.
func (t *Tree) named(rel string) bool {
	if t.include.findNamed(rel) != nil {
		return true
	}
	r := t.rules.Load()
	return r.byPath(r.folder(parentOf(rel)), rel, false).lifted
}

func (t *Tree) sizeRule() *Rule {
	return &Rule{Pattern: fmt.Sprintf("larger than index.maxFileBytes (%d bytes)", t.opts.MaxFileBytes), Source: builtIn}
}
