package indexer

import (
	"bytes"
	"errors"
	"slices"
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

// redactor caches what redaction did to texts: a text is scanned when it is indexed and not again
// each time that it is searched or shown. It keeps hashes and redacted text, in memory. Safe for
// concurrent use.
type redactor struct {
	redact func(path string, text []byte) []byte

	mu            sync.Mutex // guards all below
	newer, before map[hash]redaction
	bytes         int // of newer
}

// redaction is what replaces the middle of a text; nil if the text needs no redaction.
type redaction struct {
	middle       []byte
	first, after int // bytes of the text before the middle and behind it
}

// What each of the two generations of a redactor holds at most: texts, 60 bytes each, and bytes of
// redacted text, enough for those of Go's source.
const (
	redactionsKept = 1 << 14
	redactedBytes  = 2 << 20
)

// newRedact returns redact with a cache; nil for nil.
func newRedact(redact func(path string, text []byte) []byte) func(string, []byte) []byte {
	if redact == nil {
		return nil
	}
	r := &redactor{redact: redact, newer: map[hash]redaction{}}
	return r.text
}

func (r *redactor) text(path string, text []byte) []byte {
	key := xxh3.Hash128Seed(text, xxh3.HashString(path))
	done, known := r.known(key)
	if !known {
		done = redactionOf(text, r.redact(path, text))
		r.add(key, done)
	}
	if done.middle == nil {
		return text
	}
	return slices.Concat(text[:done.first], done.middle, text[len(text)-done.after:])
}

// redactionOf returns what turns a text into its redacted form.
func redactionOf(text, redacted []byte) (d redaction) {
	if bytes.Equal(text, redacted) {
		return redaction{}
	}
	most := min(len(text), len(redacted))
	for d.first < most && text[d.first] == redacted[d.first] {
		d.first++
	}
	for d.after < most-d.first && text[len(text)-1-d.after] == redacted[len(redacted)-1-d.after] {
		d.after++
	}
	d.middle = append([]byte{}, redacted[d.first:len(redacted)-d.after]...)
	return d
}

func (r *redactor) known(key hash) (redaction, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, ok := r.newer[key]
	if !ok {
		d, ok = r.before[key]
	}
	return d, ok
}

func (r *redactor) add(key hash, d redaction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes += len(d.middle); len(r.newer) >= redactionsKept || r.bytes > redactedBytes {
		r.newer, r.before, r.bytes = map[hash]redaction{}, r.newer, len(d.middle)
	}
	r.newer[key] = d
}
