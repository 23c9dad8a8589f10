package source

import (
	"sync"
	"time"
)

// How close to a file's last change a reading may be before its stat proves nothing: another change
// within the resolution of the file system's clock would look the same. A time without a fraction
// is from a clock with a resolution of one or two seconds.
const (
	racy       = 50 * time.Millisecond
	racyCoarse = 2100 * time.Millisecond
)

// Settled reports whether a reading is so far from the last change of a file that an equal stat
// proves the same content. A change later than the reading is from before the clock was set back: a
// new write would get another time.
func Settled(changed, read time.Time) bool {
	grain := racy
	if changed.Nanosecond() == 0 {
		grain = racyCoarse
	}
	return read.Sub(changed).Abs() > grain
}

// maxKeptBytes bounds the texts that are kept: about a thousand files, as many as ten bundles about
// different things read.
const maxKeptBytes = 16 << 20

// texts keeps the texts that checks read last, since consecutive requests show the same files. A
// text that was not asked for while half of the bytes were added is dropped. Safe for concurrent
// use.
type texts struct {
	mu           sync.Mutex // guards all below
	newer, older map[string]*keptText
	bytes        int // of newer
}

// keptText is a text with what proves that reading its file would return it again. Immutable.
type keptText struct {
	text  []byte
	entry Entry
	rules *rules // that admitted it
}

func (t *texts) get(rel string) *keptText {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.newer[rel]; k != nil {
		return k
	}
	k := t.older[rel]
	if k != nil {
		t.add(k)
	}
	return k
}

func (t *texts) put(k *keptText) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(k)
}

// add requires mu.
func (t *texts) add(k *keptText) {
	if t.bytes += len(k.text); t.newer == nil || t.bytes > maxKeptBytes/2 {
		t.newer, t.older, t.bytes = map[string]*keptText{}, t.newer, len(k.text)
	}
	t.newer[k.entry.Path] = k
}
