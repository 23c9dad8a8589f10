package usage

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

const (
	keepBundles = 200 // of a workspace
	// maxBundleHashes bounds the stored size of a bundle (256 KiB); an item has its share of it,
	// between minItemHashes and maxItemHashes. A text with more distinct terms than its share is
	// represented by a sample.
	maxBundleHashes = 64 << 10
	minItemHashes   = 32
	maxItemHashes   = 512
)

// bundleItem is an item of a remembered bundle.
type bundleItem struct {
	id string
	digest
}

// Digests are the stored form of a bundle's items: their ids, hashes of their words and their
// places, no text.
type Digests struct {
	items  []byte
	places map[string]place
}

// Digest returns the digests of a bundle's items; items with the same id are merged. It takes some
// milliseconds for a bundle of 12,000 tokens, so it should be called after the answer.
func Digest(items []ShownItem, terms Terms) Digests {
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
		value = appendItem(value, bundleItem{id, newDigest(texts[id], terms).cut(share)})
	}
	return Digests{value, placesOf(items)}
}

// Remember stores what feedback on a bundle needs. The last two hundred bundles of the workspace
// are kept. If the batch is not committed, only the feedback on this bundle is lost.
func Remember(tx store.Tx, bundle string, items Digests) error {
	fail := func(err error) error { return fmt.Errorf("remember bundle %q: %w", bundle, err) }
	_, again, err := tx.Get(bundleKey(tx.Workspace, bundle))
	if err != nil {
		return fail(err)
	}
	if !again {
		if err := order(tx, bundle); err != nil {
			return fail(err)
		}
	}
	tx.Set(bundleKey(tx.Workspace, bundle), items.items)
	if items.places == nil {
		tx.Delete(placesKey(tx.Workspace, bundle))
		return nil
	}
	return tx.SetJSON(placesKey(tx.Workspace, bundle), items.places)
}

// order puts a bundle last and removes the oldest ones over the bound.
func order(tx store.Tx, bundle string) error {
	prefix := kind(tx.Workspace, orderKind)
	var last uint64
	err := tx.ScanBack(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
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
	tx.Set(orderKey(tx.Workspace, last+1), []byte(bundle))
	if last+1 <= keepBundles {
		return nil
	}
	// Older ones were removed before, and skipping their tombstones is slow.
	return tx.Scan(orderKey(tx.Workspace, last+1-min(last+1, 2*keepBundles)), orderKey(tx.Workspace, last+1-keepBundles+1), func(k, id []byte) (bool, error) {
		drop(tx, k, string(id))
		return true, nil
	})
}

// drop removes a bundle; k is its key in the order.
func drop(tx store.Tx, k []byte, bundle string) {
	tx.Delete(append([]byte(nil), k...))
	tx.Delete(bundleKey(tx.Workspace, bundle))
	tx.Delete(feedbackKey(tx.Workspace, bundle))
	tx.Delete(placesKey(tx.Workspace, bundle))
}

// recalled returns a remembered bundle's items, in order.
func recalled(view store.View, bundle string) ([]bundleItem, error) {
	value, found, err := view.Get(bundleKey(view.Workspace, bundle))
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, ErrNotFound
	}
	return readItems(value)
}

// appendItem encodes an item: id, number of distinct terms, hashes of terms and hashes of
// identifiers, each list preceded by its length. Numbers are varints, hashes four bytes,
// little-endian.
func appendItem(value []byte, s bundleItem) []byte {
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

func readItems(value []byte) ([]bundleItem, error) {
	var out []bundleItem
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
		out = append(out, bundleItem{id, digest{int(n), lists[0], lists[1]}})
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

// Forget removes the statistics of items whose ids match, and the remembered bundles that showed
// one. It reads all of the workspace's usage.
func Forget(tx store.Tx, match func(id string) bool) error {
	prefix := kind(tx.Workspace, ageKind)
	err := tx.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		_, rest, ok := store.TakeUint64(k[len(prefix):])
		id, _, ok2 := store.TakeString(rest)
		if !ok || !ok2 {
			return false, errors.New("forget usage: bad key in the order of age")
		}
		if match(id) {
			tx.Delete(append([]byte(nil), k...))
			tx.Delete(statKey(tx.Workspace, id))
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	prefix = kind(tx.Workspace, orderKind)
	return tx.Scan(prefix, store.PrefixEnd(prefix), func(k, bundle []byte) (bool, error) {
		items, err := recalled(tx.View, string(bundle))
		if err != nil {
			return false, fmt.Errorf("forget usage: %w", err)
		}
		for _, item := range items {
			if match(item.id) {
				drop(tx, k, string(bundle))
				break
			}
		}
		return true, nil
	})
}
