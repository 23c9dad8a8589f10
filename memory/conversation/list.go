package conversation

import (
	"encoding/hex"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// List gives up to limit conversations, that with the latest message first, and where there are more, what to give as
// before for the next page. It reads no more than the page. Error: *InvalidError with the field before for one that
// List never gave.
func List(r store.Reader, ws store.Workspace, limit int, before string) (infos []Info, next string, err error) {
	prefix := key(ws, kindLatest)
	upper := store.PrefixEnd(prefix)
	if before != "" {
		place, err := hex.DecodeString(before)
		if err != nil || len(place) != latestSize {
			return nil, "", &InvalidError{"before", fmt.Sprintf("%q is no next of a list of conversations", before)}
		}
		upper = append(prefix[:len(prefix):len(prefix)], place...)
	}
	var numbers []Number
	var places []string
	err = r.ScanBack(prefix, upper, func(key, _ []byte) (bool, error) {
		if len(key) != len(prefix)+latestSize {
			return false, errDamaged
		}
		numbers = append(numbers, Number(lastUint32(key)))
		places = append(places, hex.EncodeToString(key[len(prefix):]))
		return len(numbers) <= limit, nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("list conversations: %w", err)
	}
	if len(numbers) > limit {
		numbers = numbers[:max(limit, 0)]
		if limit > 0 {
			next = places[limit-1]
		}
	}
	for _, n := range numbers {
		info, err := ByNumber(r, ws, n)
		if err != nil {
			return nil, "", fmt.Errorf("list conversations: %w", err)
		}
		infos = append(infos, info)
	}
	return infos, next, nil
}
