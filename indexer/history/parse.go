package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	maxHeaderBytes = 8 << 10  // of a hash, a list of parents, a time, a mode line
	maxRawMessage  = 64 << 10 // of a message before it is cleaned
	maxPathBytes   = 16 << 10 // a longer path is counted but not named
	gitlinkMode    = "160000" // a submodule: a commit's hash, not a file
)

// parser parses git's output for logFormat followed by raw diffs. It holds one commit at a time.
type parser struct {
	r       *bufio.Reader
	prefix  string
	started bool // the empty field that begins the next commit was read
}

func newParser(r io.Reader, prefix string) *parser {
	return &parser{r: bufio.NewReaderSize(r, 64<<10), prefix: prefix}
}

// next returns the next commit, io.EOF after the last one. It returns io.EOF too for a stream that
// ends inside a commit: git has died, and its exit status has the reason.
func (p *parser) next() (Commit, error) {
	if !p.started {
		lead, _, err := p.field(1)
		if err != nil {
			return Commit{}, err
		}
		if lead != "" {
			return Commit{}, fmt.Errorf("git printed %q where a commit should begin", lead)
		}
	}
	p.started = false
	var header [3]string
	for i := range header {
		var err error
		if header[i], _, err = p.field(maxHeaderBytes); err != nil {
			return Commit{}, err
		}
	}
	if !isHash(header[0]) {
		return Commit{}, fmt.Errorf("git printed %q where a hash should be", header[0])
	}
	message, _, err := p.field(maxRawMessage)
	if err != nil {
		return Commit{}, err
	}
	files, err := p.files()
	if err != nil {
		return Commit{}, err
	}
	if strings.Contains(header[1], " ") {
		files = nil
	}
	c := Commit{Hash: header[0], Message: cleanMessage(message), Files: files}
	if seconds, err := strconv.ParseInt(header[2], 10, 64); err == nil {
		c.Time = time.Unix(seconds, 0).UTC()
	}
	return c, nil
}

// files reads a commit's raw diff up to the next commit or the end of the stream.
func (p *parser) files() ([]string, error) {
	var files []string
	for touched := 0; ; {
		meta, _, err := p.field(maxHeaderBytes)
		if errors.Is(err, io.EOF) || err == nil && meta == "" {
			p.started = err == nil
			if touched > MaxFiles {
				files = nil
			}
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		// Git prints a line end between a message and the first entry, also with -z.
		meta = strings.TrimPrefix(meta, "\n")
		if !strings.HasPrefix(meta, ":") {
			return nil, fmt.Errorf("git printed %q where a file's change should be", meta)
		}
		path, cut, err := p.field(maxPathBytes)
		if err != nil {
			return nil, err
		}
		if isGitlink(meta) {
			continue
		}
		touched++
		if below, ok := strings.CutPrefix(path, p.prefix); ok && !cut && touched <= MaxFiles {
			files = append(files, below)
		}
	}
}

// isGitlink reports whether ":<mode before> <mode after> …" is a submodule on both sides.
func isGitlink(meta string) bool {
	modes := strings.Fields(strings.TrimPrefix(meta, ":"))
	if len(modes) < 2 {
		return false
	}
	for _, mode := range modes[:2] {
		if mode != gitlinkMode && mode != "000000" {
			return false
		}
	}
	return true
}

// field reads up to the next NUL and returns at most limit bytes; cut reports whether any were
// lost.
func (p *parser) field(limit int) (text string, cut bool, err error) {
	var kept []byte
	for {
		part, err := p.r.ReadSlice(0)
		body := part
		if err == nil {
			body = part[:len(part)-1]
		}
		room := max(limit-len(kept), 0)
		cut = cut || len(body) > room
		kept = append(kept, body[:min(room, len(body))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return string(kept), cut, err
	}
}
