// Package tokens counts the tokens of a text exactly, as tiktoken's ordinary
// encoding does for o200k_base and cl100k_base: special tokens are plain text.
//
// A text is cut into pieces by the encoding's pattern (split.go, which implements the pattern by
// hand, without a regexp engine), and each piece is cut into tokens by byte pair encoding over the
// ranks of tiktoken (vocab.go, merge.go). Nothing is estimated and nothing is downloaded. The work
// for a text of n bytes is O(n log n), whatever its content.
//
// Use [For] to get the counter of an encoding and [Counter.Count] or
// [Counter.CountBytes] to count; [Counter.Truncate] cuts a text to a budget.
package tokens

import (
	"fmt"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// Encoding names a tokenizer as the public contract names it.
type Encoding string

// The supported encodings.
const (
	O200k  Encoding = "o200k_base"
	CL100k Encoding = "cl100k_base"
)

// Parse returns the encoding of that name. The error lists the supported ones.
func Parse(name string) (Encoding, error) {
	switch e := Encoding(name); e {
	case O200k, CL100k:
		return e, nil
	}
	return "", fmt.Errorf("parse encoding: %q is not one of %s, %s", name, O200k, CL100k)
}

// One counter per encoding for the life of the process: the ranks are large and never change. An
// encoding that is never used is never loaded.
var (
	sharedO200k  = sync.OnceValues(func() (*Counter, error) { return load(O200k) })
	sharedCL100k = sync.OnceValues(func() (*Counter, error) { return load(CL100k) })
)

// For returns the process's counter for e. The first call for an encoding loads its ranks (about 40
// ms of CPU and 5 MB); later calls return the same counter. It fails only for an encoding that
// Parse rejects, or if the embedded ranks are damaged, which is a defect of the build.
func For(e Encoding) (*Counter, error) {
	switch e {
	case O200k:
		return sharedO200k()
	case CL100k:
		return sharedCL100k()
	}
	_, err := Parse(string(e))
	return nil, err
}

// Counter counts tokens of one encoding. It is immutable except for a pool of scratch memory and
// its memo, and safe for concurrent use; goroutines do not block each other. Counting does not
// allocate once the pool is warm, except for long pieces of invalid UTF-8.
type Counter struct {
	encoding Encoding
	vocab    *vocab
	next     splitter
	pool     sync.Pool // of *scratch
	memoOnce sync.Once
	memo     *Memo // set by memoOnce
}

func load(e Encoding) (*Counter, error) {
	buildClasses()
	v, err := loadVocab(e)
	if err != nil {
		return nil, err
	}
	return newCounter(e, v), nil
}

func newCounter(e Encoding, v *vocab) *Counter {
	c := &Counter{encoding: e, vocab: v, next: nextO200k}
	if e == CL100k {
		c.next = nextCL100k
	}
	c.pool.New = func() any { return new(scratch) }
	return c
}

// Encoding returns the encoding that c counts.
func (c *Counter) Encoding() Encoding { return c.encoding }

// Count returns the number of tokens of s. Each byte of s that is not part of a valid UTF-8
// sequence counts as U+FFFD, as in tiktoken.
func (c *Counter) Count(s string) int {
	sc := c.pool.Get().(*scratch)
	n := c.count(sc, s)
	c.put(sc)
	return n
}

// CountBytes is Count for bytes, without a copy. It does not keep b, which must
// not change during the call.
func (c *Counter) CountBytes(b []byte) int {
	return c.Count(view(b))
}

func (c *Counter) count(sc *scratch, s string) int {
	valid := utf8.ValidString(s)
	total := 0
	for i := 0; i < len(s); {
		end, seen := c.next(s, i)
		sc.steps += seen - i
		total += c.piece(sc, s[i:end], valid)
		i = end
	}
	return total
}

// piece returns the number of tokens of one piece of the split. valid means that the piece is known
// to be valid UTF-8.
func (c *Counter) piece(sc *scratch, p string, valid bool) int {
	if !valid && !utf8.ValidString(p) {
		p = sc.repair(p)
	}
	switch len(p) {
	case 1:
		return 1
	case 2:
		if c.vocab.pair(p[0], p[1]) != noRank {
			return 1
		}
		return 2
	}
	h := hash(p)
	if _, ok := c.vocab.find(p, h); ok {
		return 1
	}
	if len(p) > maxCached {
		return c.vocab.merge(sc, p)
	}
	e := sc.slot(h)
	if e.holds(p) {
		return int(e.tokens)
	}
	n := c.vocab.merge(sc, p)
	e.set(p, n)
	return n
}

func (c *Counter) put(sc *scratch) {
	sc.trim()
	c.pool.Put(sc)
}

// view returns the bytes of b as a string, without a copy. The string must not outlive the call it
// is made for.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
