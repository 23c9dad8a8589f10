package capture

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Codex compresses a log of lines some days after its session ended, and people compress old logs.
// A compressed log no longer grows: it is read as a whole. Its messages have the same ids as
// before, so that those that were stored are not added again.

// packings are the ends of the names of compressed logs.
var packings = []string{".zst", ".gz"}

// logs matches logs of lines by the end of their name, compressed or not.
func logs(end string) func(string) bool {
	return func(rel string) bool { return strings.HasSuffix(unpackedName(rel), end) }
}

// unpackedName returns the name of a log before it was compressed.
func unpackedName(path string) string {
	for _, end := range packings {
		if name, ok := strings.CutSuffix(path, end); ok {
			return name
		}
	}
	return path
}

func isPacked(path string) bool { return unpackedName(path) != path }

// unpack returns the content of a compressed log.
func unpack(path string, r io.Reader) (io.ReadCloser, error) {
	if strings.HasSuffix(path, ".gz") {
		return gzip.NewReader(r)
	}
	dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return dec.IOReadCloser(), nil
}

// readPacked reads a compressed log of lines from its beginning, unless it was read in this state.
func (f *Follower) readPacked(ctx context.Context, g *logFile, file *os.File, info os.FileInfo) (err error) {
	m := g.mark
	if g.known && m.Error == "" && m.Size == info.Size() && m.Modified.Equal(info.ModTime()) {
		return nil
	}
	r, err := unpack(g.path, bufio.NewReaderSize(file, chunkBytes))
	if err != nil {
		return fmt.Errorf("decompress: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	m.uncount()
	parser, found := g.lines(g.hintOf(g.env, g.path)), newFound()
	bytes := 0
	store := func() error {
		if err := f.store(ctx, g, found); err != nil {
			return err
		}
		found, bytes = newFound(), 0
		if len(g.waits) < maxWaits {
			return nil
		}
		return g.wait()
	}
	lines := bufio.NewReaderSize(r, chunkBytes)
	for at := 1; ; at++ {
		f.opts.Yield(ctx)
		line, tooLong, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("decompress: %w", err)
		}
		found.line = at
		if tooLong {
			found.unknown(fmt.Sprintf("line over %d MiB", maxLineBytes>>20), at)
		} else {
			parser.line(line, at, found)
		}
		if bytes += len(line); len(found.Messages) >= maxBatchMessages || bytes >= maxBatchBytes {
			if err := store(); err != nil {
				return err
			}
		}
	}
	parser.flush(found)
	return store()
}

// readLine returns the next line without its end. If it is longer than maxLineBytes, the rest is
// skipped and tooLong is set. At the end, it returns io.EOF.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLineBytes {
			tooLong = true
		} else if !tooLong {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return line, tooLong, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(line) > 0 || tooLong):
			return line, tooLong, nil
		default:
			return nil, false, err
		}
	}
}

// others matches files that may hold conversations, but for those with the given names, which are
// patterns of path.Match. Hidden files and what belongs to an open database hold none.
func others(known ...string) func(rel string) bool {
	ends := []string{"-wal", "-shm", "-journal", ".lock", ".tmp", ".log", ".txt", ".png", ".jpg", ".jpeg", ".webp", ".gif"}
	return func(rel string) bool {
		base := rel[strings.LastIndexByte(rel, '/')+1:]
		if strings.HasPrefix(base, ".") || slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(base, end) }) {
			return false
		}
		return !slices.ContainsFunc(known, func(pattern string) bool { return matches(pattern, base) })
	}
}
