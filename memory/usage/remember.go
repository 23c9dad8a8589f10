package usage

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

const (
	keepBundles = 200 // of a workspace
	// maxBundleHashes bounds what is kept of a bundle (256 KiB); an item has its share of it, between minItemHashes and
	// maxItemHashes. Text of more distinct terms than its share is known by a sample.
	maxBundleHashes = 64 << 10
	minItemHashes   = 32
	maxItemHashes   = 512
)

// shown is an item of a remembered bundle.
type shown struct {
	id string
	digest
}

// Digests are what is kept of a bundle's items: their ids, hashes of their words and their places, no text.
type Digests struct {
	items  []byte
	places map[string]place
}

// Digest reads the items of a bundle; items of the same id are one. It takes some milliseconds for a bundle of 12,000
// tokens, so it is for after the answer.
func Digest(items []Shown, terms Terms) Digests {
	texts := make(map[string]string, len(items))
	var ids []string
	for _, item := range items {
		if _, twice := texts[item.ID]; !twice {
			ids = append(ids, item.ID)
		}
		texts[item.ID] += item.Text + "\n"
	}
	share := min(max(maxBundleHashes/max(len(ids), 1), minItemHashes), maxItemHashes)
	var value []byte
	for _, id := range ids {
		value = appendItem(value, shown{id, newDigest(texts[id], terms).cut(share)})
	}
	return Digests{value, placesOf(items)}
}

// Remember keeps what feedback on a bundle needs. The last two hundred bundles of the workspace are kept. What is lost
// when it is not committed is the feedback on this bundle.
func Remember(r store.Reader, b *store.Batch, ws store.Workspace, bundle string, items Digests) error {
	fail := func(err error) error { return fmt.Errorf("remember bundle %q: %w", bundle, err) }
	_, again, err := r.Get(bundleKey(ws, bundle))
	if err != nil {
		return fail(err)
	}
	if !again {
		if err := order(r, b, ws, bundle); err != nil {
			return fail(err)
		}
	}
	b.Set(bundleKey(ws, bundle), items.items)
	if items.places == nil {
		b.Delete(placesKey(ws, bundle))
		return nil
	}
	return set(b, placesKey(ws, bundle), items.places)
}

// order puts a bundle last and lets go of those that are too many.
func order(r store.Reader, b *store.Batch, ws store.Workspace, bundle string) error {
	prefix := kind(ws, orderKind)
	var last uint64
	err := r.ScanBack(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		n, _, ok := store.TakeUint64(k[len(prefix):])
		if !ok {
			return false, errors.New("bad key in the order of bundles")
		}
		last = n
		return false, nil
	})
	if err != nil {
		return err
	}
	b.Set(orderKey(ws, last+1), []byte(bundle))
	if last+1 <= keepBundles {
		return nil
	}
	// Older ones went before, and passing their traces takes a while.
	return r.Scan(orderKey(ws, last+1-min(last+1, 2*keepBundles)), orderKey(ws, last+1-keepBundles+1), func(k, id []byte) (bool, error) {
		drop(b, ws, k, string(id))
		return true, nil
	})
}

// drop forgets a bundle; k is its place in the order.
func drop(b *store.Batch, ws store.Workspace, k []byte, bundle string) {
	b.Delete(append([]byte(nil), k...))
	b.Delete(bundleKey(ws, bundle))
	b.Delete(feedbackKey(ws, bundle))
	b.Delete(placesKey(ws, bundle))
}

// recalled gives a remembered bundle's items, in order.
func recalled(r store.Reader, ws store.Workspace, bundle string) ([]shown, error) {
	value, found, err := r.Get(bundleKey(ws, bundle))
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, ErrNotFound
	}
	return readItems(value)
}

// appendItem writes an item: id, number of distinct terms, hashes of terms and hashes of identifiers, each list after
// its length. Numbers are varints, hashes four bytes, little-endian.
func appendItem(value []byte, s shown) []byte {
	value = store.AppendString(value, s.id)
	value = binary.AppendUvarint(value, uint64(s.distinct))
	for _, list := range [][]uint32{s.terms, s.identifiers} {
		value = binary.AppendUvarint(value, uint64(len(list)))
		for _, h := range list {
			value = binary.LittleEndian.AppendUint32(value, h)
		}
	}
	return value
}

var errBadBundle = errors.New("remembered bundle is damaged")

func readItems(value []byte) ([]shown, error) {
	var out []shown
	for len(value) > 0 {
		id, rest, ok := store.TakeString(value)
		n, size := binary.Uvarint(rest)
		if !ok || size <= 0 {
			return nil, errBadBundle
		}
		rest = rest[size:]
		var lists [2][]uint32
		for i := range lists {
			if lists[i], rest, ok = readHashes(rest); !ok {
				return nil, errBadBundle
			}
		}
		if n < uint64(len(lists[0])) || n > 0 && len(lists[0]) == 0 || n > 1<<32 {
			return nil, errBadBundle
		}
		out = append(out, shown{id, digest{int(n), lists[0], lists[1]}})
		value = rest
	}
	return out, nil
}

func readHashes(value []byte) (hashes []uint32, rest []byte, ok bool) {
	n, size := binary.Uvarint(value)
	if size <= 0 || n > uint64(len(value)-size)/4 {
		return nil, nil, false
	}
	value = value[size:]
	hashes = make([]uint32, n)
	for i := range hashes {
		hashes[i] = binary.LittleEndian.Uint32(value[4*i:])
	}
	return hashes, value[4*n:], true
}

// Forget takes out what is known of items whose ids match, and the remembered bundles that showed one. It reads all of
// the workspace's usage.
func Forget(r store.Reader, b *store.Batch, ws store.Workspace, match func(id string) bool) error {
	prefix := kind(ws, ageKind)
	err := r.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		_, rest, ok := store.TakeUint64(k[len(prefix):])
		id, _, ok2 := store.TakeString(rest)
		if !ok || !ok2 {
			return false, errors.New("forget usage: bad key in the order of age")
		}
		if match(id) {
			b.Delete(append([]byte(nil), k...))
			b.Delete(statKey(ws, id))
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	prefix = kind(ws, orderKind)
	return r.Scan(prefix, store.PrefixEnd(prefix), func(k, bundle []byte) (bool, error) {
		items, err := recalled(r, ws, string(bundle))
		if err != nil {
			return false, fmt.Errorf("forget usage: %w", err)
		}
		for _, item := range items {
			if match(item.id) {
				drop(b, ws, k, string(bundle))
				break
			}
		}
		return true, nil
	})
}
