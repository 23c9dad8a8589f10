package vectors

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// position is how far the packs of a model and repository were read. It is saved beside the cache,
// after the cache's records.
type position struct {
	Cache   string // the cache's id
	Records int    // in the cache, at least
	After   uint64 // the last pack
	Digest  string // of that pack: another one in its place means that the server made its stream anew
	Lost    int64  // the second of cache.lost; 0 = never
}

func digestOf(pack []byte) string {
	sum := sha256.Sum256(pack)
	return hex.EncodeToString(sum[:8])
}

func randomID() (id [16]byte, err error) {
	_, err = rand.Read(id[:])
	return id, err
}

// maxPosition bounds the file.
const maxPosition = 4 << 10

// position returns the saved position, or zero if it does not belong to the cache's content.
func (c *cache) position() (at position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lock == nil || c.failed != nil {
		return position{}
	}
	b, err := os.ReadFile(c.path + ".position")
	if err == nil && len(b) <= maxPosition {
		err = json.Unmarshal(b, &at)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Debug("the position in the team's embeddings is unknown: they are read again", "err", err)
	}
	if err != nil || at.Cache != hex.EncodeToString(c.id[:]) || at.Records > len(c.seen) {
		return position{}
	}
	if at.Lost > 0 {
		c.lost = time.Unix(at.Lost, 0)
	}
	return at
}

// save saves a position once the records before it are on disk. A cache that could not be written
// saves none: then the packs are read again.
func (c *cache) save(at position) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.lock == nil || c.file == nil || c.failed != nil || at.After == 0 {
		return nil
	}
	at.Cache, at.Records = hex.EncodeToString(c.id[:]), len(c.seen)
	if !c.lost.IsZero() {
		at.Lost = c.lost.Unix()
	}
	b, err := json.Marshal(at)
	if err != nil {
		return fmt.Errorf("save the position in the team's embeddings: %w", err)
	}
	name := c.path + ".position"
	if err = c.file.Sync(); err == nil {
		err = os.WriteFile(name+".new", b, 0o600)
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("save the position in the team's embeddings: %w", err)
	}
	return nil
}
