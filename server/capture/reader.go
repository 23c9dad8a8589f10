package capture

import (
	"bytes"
	"io"
	"os"
)

// lineReader reads the lines of a file from an offset.
type lineReader struct {
	file    *os.File
	at      int64 // just after the last returned line
	buf     []byte
	filled  int64 // file offset after the contents of buf
	start   int   // in buf, of the bytes not yet returned
	end     bool
	tooLong bool // the returned line is only the beginning of a longer one
}

// next returns the next line without its end. whole is false for text after the last line end. The
// line is valid until the next call. At the end, next returns io.EOF.
func (r *lineReader) next() (line []byte, whole bool, err error) {
	r.tooLong = false
	scanned := r.start
	var skipped int64
	for {
		if i := bytes.IndexByte(r.buf[scanned:], '\n'); i >= 0 {
			line = r.buf[r.start : scanned+i]
			r.at += skipped + int64(len(line)) + 1
			r.start = scanned + i + 1
			r.tooLong = skipped > 0 || len(line) > maxLineBytes
			return line, true, nil
		}
		scanned = len(r.buf)
		if len(r.buf)-r.start > maxLineBytes {
			skipped += int64(len(r.buf) - r.start)
			r.buf, r.start, scanned = r.buf[:0], 0, 0
		}
		if r.end {
			break
		}
		if err := r.fill(&scanned); err != nil {
			return nil, false, err
		}
	}
	if line = r.buf[r.start:]; len(line) == 0 && skipped == 0 {
		return nil, false, io.EOF
	}
	r.at += skipped + int64(len(line))
	r.start = len(r.buf)
	r.tooLong = skipped > 0
	return line, false, nil
}

// fill moves the unread bytes to the beginning of the buffer and reads more after them.
func (r *lineReader) fill(scanned *int) error {
	if r.start > 0 {
		n := copy(r.buf, r.buf[r.start:])
		*scanned -= r.start
		r.buf, r.start = r.buf[:n], 0
	}
	have := len(r.buf)
	if cap(r.buf)-have < chunkBytes {
		grown := make([]byte, have, max(2*cap(r.buf), have+chunkBytes))
		copy(grown, r.buf)
		r.buf = grown
	}
	if r.filled == 0 {
		r.filled = r.at
	}
	n, err := r.file.ReadAt(r.buf[have:have+chunkBytes], r.filled)
	r.buf = r.buf[:have+n]
	r.filled += int64(n)
	if err == io.EOF {
		r.end = true
		return nil
	}
	return err
}
