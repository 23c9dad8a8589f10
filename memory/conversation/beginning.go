package conversation

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// Beginning returns the ids of at most limit conversations that begin with a prefix, in their
// order. The id of an imported conversation has its source before a slash: the prefix may begin
// after that. It reads every id of the workspace.
func Beginning(view store.View, prefix string, limit int) (ids []string, err error) {
	lower := key(view.Workspace, kindID)
	err = view.Scan(lower, store.PrefixEnd(lower), func(k, _ []byte) (bool, error) {
		id, _, ok := store.TakeString(k[len(lower):])
		if !ok {
			return false, errDamaged
		}
		_, own, imported := strings.Cut(id, "/")
		if strings.HasPrefix(id, prefix) || imported && strings.HasPrefix(own, prefix) {
			ids = append(ids, id)
		}
		return len(ids) < limit, nil
	})
	if err != nil {
		return nil, fmt.Errorf("find conversations that begin with %q: %w", prefix, err)
	}
	return ids, nil
}
