package knowledge

import "github.com/contexture-dev/contexture/memory/store"

func forgetTopics(r store.Reader, b *store.Batch, ws store.Workspace, conversation string) (bool, error) {
	return false, nil
}
