package capture

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// maxDocumentBytes limits a log that is replaced as a whole: it is held in memory while it is read.
const maxDocumentBytes = 64 << 20

// readDocument reads a log that its host replaces as a whole.
func (f *Follower) readDocument(ctx context.Context, g *logFile, file *os.File, info os.FileInfo) error {
	if info.Size() > maxDocumentBytes {
		return fmt.Errorf("it has %d bytes; logs of this form are read up to %d MiB", info.Size(), maxDocumentBytes>>20)
	}
	found := newFound()
	g.document(bufio.NewReaderSize(file, chunkBytes), g.hintOf(g.env, g.path), found)
	g.mark.uncount()
	return f.storeWhole(ctx, g, found, info.ModTime())
}

// readDatabase reads the sessions of a database that changed since it was last read.
func (f *Follower) readDatabase(ctx context.Context, g *logFile) error {
	info, err := os.Stat(g.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	size, modified := g.stamp(info) // before reading, so that concurrent writes are read again
	g.mark.uncount()
	newest := g.mark.Updated
	err = g.database(ctx, g.path, g.mark.Updated, func(updated time.Time, found *Found) error {
		if err := f.storeWhole(ctx, g, found, updated); err != nil {
			return err
		}
		if updated.After(newest) {
			newest = updated
		}
		return nil
	})
	if err != nil {
		return err
	}
	if g.settles.IsZero() { // otherwise the newest sessions are read again
		g.mark.Updated = newest
	}
	g.mark.Size, g.mark.Modified = size, modified
	return nil
}

// storeWhole passes the messages of a log to the store, except those that were stored before and
// those that may still change.
func (f *Follower) storeWhole(ctx context.Context, g *logFile, found *Found, changed time.Time) error {
	all := found.Messages
	part := found
	part.Messages = nil
	bytes := 0
	var keys []string
	store := func() error {
		if err := f.store(ctx, g, part); err != nil {
			return err
		}
		if g.stored == nil {
			g.stored = map[string]bool{}
		}
		for _, key := range keys {
			session, _, _ := strings.Cut(key, "\x00")
			g.stored[key] = g.mark.Sessions[session].Left == ""
		}
		if len(g.waits) >= maxWaits {
			if err := g.wait(); err != nil {
				return err
			}
		}
		part, keys, bytes = newFound(), nil, 0
		part.Sessions = found.Sessions
		return nil
	}
	held := map[string]bool{} // sessions with a message that may still change: later messages wait as well
	for _, m := range all {
		rest := changed.Add(m.open)
		if m.open > 0 && f.now().Before(rest) {
			held[m.Session] = true
			if g.settles.IsZero() || rest.Before(g.settles) {
				g.settles = rest
			}
		}
		if held[m.Session] {
			continue
		}
		key := m.Session + "\x00" + m.ID
		if g.stored[key] {
			continue
		}
		keys = append(keys, key)
		part.Messages = append(part.Messages, m)
		if bytes += len(m.Content); len(part.Messages) >= maxBatchMessages || bytes >= maxBatchBytes {
			if err := store(); err != nil {
				return err
			}
		}
	}
	return store()
}
