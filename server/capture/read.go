package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// logFile is one log and how far it was read.
type logFile struct {
	source *source
	format
	path string
	env  Environment

	mu    sync.Mutex // held while the log is read; guards all fields below
	mark  *mark
	known bool // the log was read before, by this process or another

	// For a log of lines: the parser, at the mark's offset or beyond it. nil: it starts there.
	parser lineParser
	offset int64
	line   int
	before string // hashBefore offset

	titles map[string]string // of sessions that have no message yet

	// For other logs: the messages already stored, so that a replaced log is not stored again.
	stored map[string]bool
	// turn blocks until the messages found in the log may be stored; nil: at once.
	turn func()
	// waits block until the batches that were passed to the store are on disk. The log's mark
	// advances only after that.
	waits []func() error

	settles  time.Time // when to read the log without an event, since what waits then counts as complete; zero for never
	failures int       // consecutive
}

const (
	chunkBytes   = 1 << 20
	maxLineBytes = 64 << 20
	// Limits on one batch: a batch is written to disk as a whole, and between batches other users
	// get access to the memory.
	maxBatchMessages = 400
	maxBatchBytes    = 1 << 20
	maxWaits         = 3 // batches that may wait for the disk

	// A log that cannot be read is retried without an event, with increasing intervals.
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
)

// due reports whether a log has something new: if it was never read, only if it changed after
// since.
func (g *logFile) due(info os.FileInfo, since time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	size, modified := g.stamp(info)
	if !g.known {
		return !modified.Before(since)
	}
	return g.mark.Error != "" || size != g.mark.Size || !modified.Equal(g.mark.Modified)
}

// stamp identifies one state of a log. Changes to a database may be only in its write-ahead log.
func (g *logFile) stamp(info os.FileInfo) (size int64, modified time.Time) {
	size, modified = info.Size(), info.ModTime()
	if g.database == nil {
		return size, modified
	}
	if wal, err := os.Stat(g.path + "-wal"); err == nil {
		size += wal.Size()
		if wal.ModTime().After(modified) {
			modified = wal.ModTime()
		}
	}
	return size, modified
}

// read passes the new messages of a log to the store, and returns how many of them were not stored
// before. The error names the log and is also kept in the log's mark.
func (f *Follower) read(ctx context.Context, g *logFile) (added int, err error) {
	return f.begin(ctx, g, nil)()
}

// begin is read without the wait for the disk: finish waits, and must be called. Until then the log
// is locked. turn blocks until the log's messages may be stored; nil: at once.
func (f *Follower) begin(ctx context.Context, g *logFile, turn func()) (finish func() (added int, err error)) {
	g.mu.Lock()
	g.turn = turn
	before := g.mark.messages()
	err := f.readLocked(ctx, g)
	return func() (int, error) {
		defer g.mu.Unlock()
		return f.finishLocked(ctx, g, before, err)
	}
}

// finishLocked waits until the messages read are on disk, and writes the mark. g.mu is held.
func (f *Follower) finishLocked(ctx context.Context, g *logFile, before int, err error) (added int, _ error) {
	if failed := g.wait(); failed != nil {
		err = errors.Join(err, failed)
		g.forget(f.opts.StateDir)
	}
	if err != nil && ctx.Err() != nil {
		g.parser = nil
		return 0, ctx.Err()
	}
	g.known = true
	g.mark.ReadAt = f.now().UTC()
	g.mark.Error = ""
	if g.failures++; err == nil {
		g.failures = 0
	}
	if err != nil {
		g.settles = f.now().Add(min(firstRetry<<min(g.failures-1, 10), lastRetry))
		g.parser = nil // its contents are read again
		err = fmt.Errorf("read %s: %w", g.path, plain(err))
		g.mark.Error = err.Error()
		f.log.Warn("log not read", "source", g.source.name, "err", err)
	}
	if failed := g.mark.write(f.opts.StateDir, g.source.name); failed != nil {
		failed = fmt.Errorf("store the position in %s: %w", g.path, failed)
		f.log.Warn("capture", "err", failed)
		err = errors.Join(err, failed)
	}
	return g.mark.messages() - before, err
}

// plain removes the path from an error whose context already names it.
func plain(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// uncount resets the counts of a log that is read again from its beginning.
func (m *mark) uncount() { m.Unknown, m.Skipped, m.Unread, m.Counted = nil, nil, nil, 0 }

func (m *mark) messages() (n int) {
	for _, s := range m.Sessions {
		n += s.Messages
	}
	return n
}

// abandon stores what waits for the rest of a removed log. What was already stored stays.
func (f *Follower) abandon(ctx context.Context, g *logFile) error {
	if g.parser == nil {
		return nil
	}
	found := newFound()
	g.parser.flush(found)
	return f.store(ctx, g, found)
}

// readLocked is read without locking. g.mu is held.
func (f *Follower) readLocked(ctx context.Context, g *logFile) error {
	g.settles = time.Time{}
	if g.database != nil {
		return f.readDatabase(ctx, g)
	}
	file, err := os.OpenFile(g.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // the former file may have become a pipe
	if errors.Is(err, os.ErrNotExist) {
		return f.abandon(ctx, g)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a file")
	}
	switch {
	case g.document != nil:
		err = f.readDocument(ctx, g, file, info)
	case isPacked(g.path):
		err = f.readPacked(ctx, g, file, info)
	default:
		err = f.readLines(ctx, g, file, info)
	}
	if err == nil {
		g.mark.Size, g.mark.Modified = info.Size(), info.ModTime()
	}
	return err
}

// resume sets the parser to the position where reading continues. If the file is no longer the log
// that was read before, it is read from its beginning: the store ignores messages that it already
// has.
func (g *logFile) resume(file *os.File, size int64) error {
	if g.parser != nil {
		if is, err := hashBefore(file, g.offset); err == nil && size >= g.offset && is == g.before {
			return nil
		}
		g.parser = nil
	}
	g.parser = g.lines(g.hintOf(g.env, g.path))
	g.offset, g.line = 0, 0
	if m := g.mark; m.Offset > 0 {
		is, err := hashBefore(file, m.Offset)
		if err != nil {
			return err
		}
		if is == m.Before && size >= m.Offset && json.Unmarshal(m.Parser, g.parser) == nil {
			g.offset, g.line = m.Offset, m.Line
			return nil
		}
		g.parser = g.lines(g.hintOf(g.env, g.path))
	}
	g.mark.Offset, g.mark.Line, g.mark.Before, g.mark.Parser = 0, 0, "", nil
	g.mark.uncount()
	return nil
}

// readLines reads a log of lines from where the last reading stopped to its end.
func (f *Follower) readLines(ctx context.Context, g *logFile, file *os.File, info os.FileInfo) error {
	if err := g.resume(file, info.Size()); err != nil {
		return err
	}
	r := &lineReader{file: file, at: g.offset}
	b := batch{f: f, g: g, file: file, found: newFound()}
	b.found.counted = g.mark.Counted
	b.clean()
	within, err := endsWithin(file, g.offset)
	if err != nil {
		return err
	}
	for {
		f.opts.Yield(ctx)
		line, whole, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if !whole && !complete(line, r.tooLong) {
			break // torn: the rest is still being written
		}
		if !within {
			g.line++
		}
		within = !whole
		b.found.line = g.line
		if r.tooLong {
			b.found.unknown(fmt.Sprintf("line over %d MiB", maxLineBytes>>20), g.line)
		} else {
			g.parser.line(line, g.line, b.found)
		}
		g.offset = r.at
		if err := b.step(ctx, len(line)); err != nil {
			return err
		}
	}
	if g.parser.waits() {
		if rest := info.ModTime().Add(g.settle); f.now().Before(rest) {
			g.settles = rest
		} else {
			g.parser.flush(b.found)
			b.clean()
		}
	}
	if err := b.store(ctx, true); err != nil {
		return err
	}
	g.before, err = hashBefore(file, g.offset)
	return err
}

// endsWithin reports whether an offset lies within a line, read before its line end was written.
func endsWithin(file *os.File, offset int64) (bool, error) {
	if offset == 0 {
		return false, nil
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, offset-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// complete reports whether a last line is complete although its line end is missing. The beginning
// of a JSON object is never complete.
func complete(line []byte, tooLong bool) bool {
	line = bytes.TrimSpace(line)
	return !tooLong && len(line) > 0 && line[0] == '{' && json.Valid(line)
}

// batch collects what a parser finds until it is stored.
type batch struct {
	f     *Follower
	g     *logFile
	file  *os.File
	found *Found
	bytes int
	// The last position at which nothing waited in the parser: where the next process may begin
	// once everything found so far is stored.
	offset int64
	line   int
	parser json.RawMessage
}

// clean records that nothing waits in the parser.
func (b *batch) clean() {
	if b.g.parser.waits() {
		return
	}
	if state, err := json.Marshal(b.g.parser); err == nil { // otherwise reading restarts from an earlier offset
		b.offset, b.line, b.parser = b.g.offset, b.g.line, state
	}
}

// step completes a line.
func (b *batch) step(ctx context.Context, bytes int) error {
	if b.bytes += bytes; len(b.found.Messages) >= maxBatchMessages || b.bytes >= maxBatchBytes {
		b.clean()
		return b.store(ctx, false)
	}
	b.clean()
	return nil
}

// store passes the messages to the store and advances the mark, if there are enough to wait for the
// disk or if this is the last batch.
//
// For the last batch, the finisher of the reading waits, before it writes the mark.
func (b *batch) store(ctx context.Context, last bool) error {
	if err := b.f.store(ctx, b.g, b.found); err != nil {
		return err
	}
	m := b.g.mark
	m.Counted = max(m.Counted, b.g.line)
	b.found, b.bytes = newFound(), 0
	b.found.counted = m.Counted
	if !last {
		if len(b.g.waits) < maxWaits {
			return nil
		}
		if err := b.g.wait(); err != nil { // even if the mark stays: pending batches hold their messages in memory
			return err
		}
	}
	if b.offset <= m.Offset {
		return nil
	}
	hash, err := hashBefore(b.file, b.offset)
	if err != nil {
		return err
	}
	m.Offset, m.Line, m.Before, m.Parser = b.offset, b.line, hash, b.parser
	if last {
		return nil
	}
	return m.write(b.f.opts.StateDir, b.g.source.name)
}

// forget reloads the state of the log from disk, because what was passed to the store since then
// was not stored.
func (g *logFile) forget(stateDir string) {
	g.parser, g.stored = nil, nil
	if g.mark = readMark(stateDir, g.source.name, g.path); g.mark == nil {
		g.mark = &mark{Path: g.path}
	}
}

// wait blocks until everything that was passed to the store is on disk.
func (g *logFile) wait() error {
	waits := g.waits
	g.waits = nil
	var errs []error
	for _, wait := range waits { // call all of them: each must be waited for
		errs = append(errs, wait())
	}
	return errors.Join(errs...)
}
