package indexer

import (
	"bytes"
	"errors"
	"sync"

	"github.com/zeebo/xxh3"
)

// Redaction happens on input: in source.Tree.Read for files, Index.With for buffers, loadHistory
// for messages. So hashes, chunks, words, symbols and vectors are those of redacted text, nothing
// stored is derived from what was removed, and a text read again to be shown has the hash under
// which it was indexed. A file in which only a secret changed is read again like any other and
// found to be unchanged.

// errOtherRedaction means that the stored index was made under another Options.RedactID. Its words,
// symbols and embedder may contain what must now be redacted, so that nothing of it is used, not
// even during the rebuild.
var errOtherRedaction = errors.New("what is redacted has changed")

// format returns the value of keyFormat.
func (w *writer) format() []byte { return append([]byte{formatVersion}, w.x.opts.RedactID...) }

// sameRedaction returns errOtherRedaction unless the store was redacted as it would be now.
func (w *writer) sameRedaction() error {
	format, ok, err := w.db.Get(keyFormat)
	if err != nil || !ok {
		return err
	}
	if len(format) > 0 && string(format[1:]) != w.x.opts.RedactID {
		return errOtherRedaction
	}
	return nil
}

// redactor caches which texts needed no redaction: a text is scanned when it is indexed and not
// again each time that it is shown. It keeps only hashes, in memory. Safe for concurrent use.
type redactor struct {
	redact func(path string, text []byte) []byte

	mu            sync.Mutex // guards both
	clean, before map[hash]struct{}
}

// cleanKept is how many texts each of the two generations holds, 16 bytes each.
const cleanKept = 1 << 14

// newRedact returns redact with a cache; nil for nil.
func newRedact(redact func(path string, text []byte) []byte) func(string, []byte) []byte {
	if redact == nil {
		return nil
	}
	r := &redactor{redact: redact, clean: map[hash]struct{}{}}
	return r.text
}

func (r *redactor) text(path string, text []byte) []byte {
	key := xxh3.Hash128Seed(text, xxh3.HashString(path))
	if r.isClean(key) {
		return text
	}
	out := r.redact(path, text)
	if bytes.Equal(out, text) {
		r.add(key)
		return text
	}
	return out
}

func (r *redactor) isClean(key hash) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.clean[key]; ok {
		return true
	}
	_, ok := r.before[key]
	return ok
}

func (r *redactor) add(key hash) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.clean) >= cleanKept {
		r.clean, r.before = map[hash]struct{}{}, r.clean
	}
	r.clean[key] = struct{}{}
}
