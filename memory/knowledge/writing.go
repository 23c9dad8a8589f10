package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Writing is a lesson as a model wrote it anew.
type Writing struct {
	ID             string
	Was            string // the content that it was made from
	Title, Content string // as they were where the model gave nothing of use
}

// PutWriting stages a lesson written anew, which offline runs leave as it is from then on, as long as the rules would make
// the same of the same turns. Error: ErrNotFound where the
// lesson is gone or is not what it was.
func PutWriting(r store.Reader, b *store.Batch, ws store.Workspace, w Writing, now time.Time) error {
	s, err := openShelf(r, ws)
	if err != nil {
		return fmt.Errorf("put lesson: %w", err)
	}
	it, err := s.get(w.ID)
	if err != nil {
		return fmt.Errorf("put lesson: %w", err)
	}
	if it == nil || it.Content != w.Was || !it.Learned || it.Kind != Lesson {
		return fmt.Errorf("put lesson %q: %w", w.ID, ErrNotFound)
	}
	if err := s.put(it); err != nil {
		return fmt.Errorf("put lesson: %w", err)
	}
	it.WrittenFrom = sumOf(w.Was)
	if w.Content != w.Was {
		it.Title, it.Content, it.UpdatedAt = w.Title, w.Content, now.UTC()
	}
	if _, err := s.flush(b); err != nil {
		return fmt.Errorf("put lesson: %w", err)
	}
	return nil
}

// sumOf stands for a content.
func sumOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:8])
}
