// Package cabinet keeps texts by file key for thirty days from their last use. A put or a get is a
// use; listing is not.
//
// A get writes the time of use only when the recorded one is more than an hour old, so that reading
// a text again and again does not cost an fsync each time. A text is therefore kept an hour longer
// than its record says, so that none expires before thirty days from its last use. An expired text
// is neither returned nor listed. It is removed from the store at least a day later, so that texts
// which expired only because a clock jumped ahead reappear once the clock is right.
//
// Changes read the committed state and stage into a batch that cannot be read back. Nothing here
// commits. A file key is all that is needed to read its text: keys are random.
package cabinet

import (
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// ErrNotFound reports that no text is saved under a key, or that it has expired.
var ErrNotFound = errors.New("no such file")

const (
	lifetime = 30 * 24 * time.Hour
	// renewal is the age of the recorded use from which a get writes a new one.
	renewal = time.Hour
	// doubt is how long a text is kept after it was first found to be expired.
	doubt = 24 * time.Hour
	// purged is the largest number of texts that one Purge removes, which bounds its batch.
	purged   = 1000
	keyBytes = 10 // of randomness: 80 bits, 16 characters
)

// File is a saved text.
type File struct {
	Key, Title, Content string // Content is omitted from lists
	Note, URI           string
	SavedAt             time.Time // UTC
	ExpiresAt           time.Time // UTC: when it expires unless it is used before
}

// New is a text to be saved.
type New struct{ Title, Content, Note, URI string }

// Put stages a text under a new key, which it makes from random.
func Put(tx store.Tx, n New, random io.Reader) (File, error) {
	key, err := newKey(tx.View, random)
	if err != nil {
		return File{}, fmt.Errorf("put in cabinet: %w", err)
	}
	m := meta{Title: n.Title, Note: n.Note, URI: n.URI, SavedAt: tx.Now.UTC(), UsedAt: tx.Now.UTC()}
	if err := set(tx, key, m); err != nil {
		return File{}, fmt.Errorf("put in cabinet: %w", err)
	}
	tx.Set(contentKey(tx.Workspace, key), []byte(n.Content))
	f := m.file(key, m.UsedAt)
	f.Content = n.Content
	return f, nil
}

// keyText writes keys in lower case, without the letters that look like digits.
var keyText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newKey returns a key that is not in use.
func newKey(view store.View, random io.Reader) (string, error) {
	for {
		var raw [keyBytes]byte
		if _, err := io.ReadFull(random, raw[:]); err != nil {
			return "", fmt.Errorf("make file key: %w", err)
		}
		key := keyText.EncodeToString(raw[:])
		if _, taken, err := view.Get(metaKey(view.Workspace, key)); err != nil || !taken {
			return key, err
		}
	}
}

// Get returns a text, which counts as a use of it. renewed reports that the new time of use was
// staged and that the batch must be committed. With a nil batch nothing is staged. Get returns
// ErrNotFound if the text does not exist or has expired.
func Get(tx store.Tx, key string) (f File, renewed bool, err error) {
	fail := func(err error) (File, bool, error) { return File{}, false, fmt.Errorf("get file %q: %w", key, err) }
	m, err := get(tx.View, key, tx.Now)
	if err != nil {
		return fail(err)
	}
	content, found, err := tx.Get(contentKey(tx.Workspace, key))
	if err != nil {
		return fail(err)
	}
	if !found {
		return fail(errors.New("its text is missing"))
	}
	used := m.UsedAt
	if tx.Batch != nil && tx.Now.After(m.UsedAt) {
		used = tx.Now.UTC() // even if it is not recorded: see the package comment
		if tx.Now.Sub(m.UsedAt) > renewal {
			tx.Delete(usedKey(tx.Workspace, m.UsedAt, key))
			m.UsedAt, renewed = used, true
			if err := set(tx, key, m); err != nil {
				return fail(err)
			}
		}
	}
	f = m.file(key, used)
	f.Content = string(content)
	return f, renewed, nil
}

// List returns all saved texts without their content, latest use first.
func List(view store.View, now time.Time) ([]File, error) {
	var out []File
	prefix := kind(view.Workspace, usedKind)
	err := view.ScanBack(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		used, key, err := readUsedKey(k[len(prefix):])
		if err != nil || over(used, now) {
			return false, err
		}
		m, err := get(view, key, now)
		if err == nil {
			out = append(out, m.file(key, m.UsedAt))
		}
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("list cabinet: %w", err)
	}
	return out, nil
}

// Delete stages the removal of a text. It returns ErrNotFound if the text does not exist or has
// expired.
func Delete(tx store.Tx, key string) error {
	m, err := get(tx.View, key, tx.Now)
	if err != nil {
		return fmt.Errorf("delete file %q: %w", key, err)
	}
	remove(tx, key, m.UsedAt)
	return nil
}

// Purge stages the removal of texts that an earlier Purge, at least a day ago, already found
// expired, oldest first and at most a thousand at a time. It returns how many it staged; if that is
// a thousand there may be more. An earlier time on record that is later than now is not trusted.
func Purge(tx store.Tx) (count int, err error) {
	seen, looked, err := lastLook(tx.View)
	if err != nil {
		return 0, fmt.Errorf("purge cabinet: %w", err)
	}
	sure := looked && tx.Now.Sub(seen) >= doubt
	prefix := kind(tx.Workspace, usedKind)
	left := false // some expired texts must wait
	err = tx.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		used, key, err := readUsedKey(k[len(prefix):])
		if err != nil || !over(used, tx.Now) {
			return false, err
		}
		if left = !sure || !over(used, seen); left {
			return false, nil
		}
		remove(tx, key, used)
		count++
		return count < purged, nil
	})
	if err != nil {
		return 0, fmt.Errorf("purge cabinet: %w", err)
	}
	switch {
	case left && (!looked || sure || tx.Now.Before(seen)):
		tx.Set(lookKey(tx.Workspace), store.AppendUint64(nil, uint64(tx.Now.UnixNano())))
	case looked && !left && count < purged:
		tx.Delete(lookKey(tx.Workspace))
	}
	return count, nil
}

// over reports whether a text with the recorded last use has expired.
func over(used, now time.Time) bool { return now.Sub(used) >= lifetime+renewal }

// meta is a text's stored record, without its content.
type meta struct {
	Title   string    `json:"title"`
	Note    string    `json:"note,omitempty"`
	URI     string    `json:"uri,omitempty"`
	SavedAt time.Time `json:"savedAt"`
	UsedAt  time.Time `json:"usedAt"`
}

func (m meta) file(key string, used time.Time) File {
	return File{
		Key: key, Title: m.Title, Note: m.Note, URI: m.URI, SavedAt: m.SavedAt, ExpiresAt: used.Add(lifetime),
	}
}

func get(view store.View, key string, now time.Time) (meta, error) {
	data, found, err := view.Get(metaKey(view.Workspace, key))
	if err != nil {
		return meta{}, err
	}
	if !found {
		return meta{}, ErrNotFound
	}
	var m meta
	if err := json.Unmarshal(data, &m); err != nil {
		return meta{}, fmt.Errorf("read its record: %w", err)
	}
	if over(m.UsedAt, now) {
		return meta{}, ErrNotFound
	}
	return m, nil
}
