package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
)

const (
	// MaxLines is the maximum number of lines that a commit adds to a file for them to be
	// informative about each of them.
	MaxLines = 400

	minLineBytes  = 8       // of a line that says which one it is, without the white space around it
	maxLineBytes  = 4 << 10 // a longer line is none that somebody wrote
	maxDiffedFile = "1m"    // git compares larger files as if they were binary
)

// Addition is what a commit added to a file.
type Addition struct {
	Hash string // of the commit
	Path string // as in Commit.Files
	// Keys are the LineKeys of the added lines that have one, in their order, with repetitions; nil
	// if there are more than MaxLines.
	Keys []uint32
}

// LineKey returns a number by which a line is found again where it moved, whatever its indentation,
// and whether the line is one of many: too short to be told from others, or too long to be written
// by hand. Lines may have the same number without being alike, one pair in four billion.
func LineKey(line []byte) (key uint32, plain bool) {
	line = bytes.TrimSpace(line)
	if len(line) < minLineBytes || len(line) > maxLineBytes {
		return 0, true
	}
	h := fnv.New32a()
	_, _ = h.Write(line)
	return h.Sum32(), false
}

// Additions reads which lines the commits with the given hashes added below root, and calls yield
// for each file of each commit, in the order of the hashes, on the caller's goroutine. It skips
// merges, binary and very large files, and what is not in the repository (any more). Memory does
// not grow with the number of commits. It fails with ErrNoGit, ErrUntrusted and ErrNoTrees.
func Additions(ctx context.Context, root string, hashes []string, yield func(Addition)) error {
	if len(hashes) == 0 {
		return nil
	}
	prefix, err := showPrefix(ctx, root)
	if err != nil {
		return fmt.Errorf("read lines of commits: %w", err)
	}
	g, err := newGit(ctx, root, "-c", "core.bigFileThreshold="+maxDiffedFile, "diff-tree", "--stdin", "--root", "-r",
		"--patch", "--unified=0", "--no-renames", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
		"--ignore-submodules=all", "--no-ext-diff", "--no-textconv", "--format=tformat:%x00%H")
	if err != nil {
		return err
	}
	g.cmd.Stdin = &hashLines{hashes: hashes}
	out, err := g.start()
	if err != nil {
		return err
	}
	(&patches{r: bufio.NewReaderSize(out, 64<<10), prefix: prefix, yield: yield}).read()
	if err := g.wait(ctx); err != nil && !errors.Is(err, errNoRepository) {
		return fmt.Errorf("read lines of commits: %w", err)
	}
	return nil
}

// patches parses the patches of commits.
type patches struct {
	r      *bufio.Reader
	prefix string
	yield  func(Addition)

	at    Addition
	added int // lines of the file
}

// read parses up to the end of the stream.
func (p *patches) read() {
	for {
		line, err := p.line()
		if err != nil {
			p.end()
			return
		}
		switch {
		case line[0] == 0:
			p.end()
			p.at.Hash = string(line[1:])
		case bytes.HasPrefix(line, []byte("diff --git ")):
			p.end()
		case bytes.HasPrefix(line, []byte("+++ ")):
			p.at.Path = p.path(string(line[len("+++ "):]))
		case bytes.HasPrefix(line, []byte("@@ ")):
			p.hunk(string(line))
		}
	}
}

// end yields what was added to the file, if it is one.
func (p *patches) end() {
	if p.at.Path != "" && p.added > 0 {
		if p.added > MaxLines {
			p.at.Keys = nil
		}
		p.yield(p.at)
	}
	p.at, p.added = Addition{Hash: p.at.Hash}, 0
}

// path returns the path below the root that a header names after the prefix b/, "" for none.
func (p *patches) path(name string) string {
	name = strings.TrimSuffix(name, "\t") // of a name with a space
	if strings.HasPrefix(name, `"`) {
		unquoted, err := strconv.Unquote(name)
		if err != nil {
			return ""
		}
		name = unquoted
	}
	name, ok := strings.CutPrefix(name, "b/")
	below, inside := strings.CutPrefix(name, p.prefix)
	if !ok || !inside {
		return ""
	}
	return below
}

// hunk reads the lines of a hunk with the header "@@ -first,count +first,count @@".
func (p *patches) hunk(header string) {
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return
	}
	for rest := count(fields[1]) + count(fields[2]); rest > 0; {
		line, err := p.line()
		if err != nil {
			return
		}
		switch line[0] {
		case '+':
			p.added++
			if key, plain := LineKey(line[1:]); !plain && p.added <= MaxLines {
				p.at.Keys = append(p.at.Keys, key)
			}
			rest--
		case '-':
			rest--
		case '\\': // no line end at the end of the file
		default:
			return
		}
	}
}

// count returns the number of lines of "-12,3", 1 of "-12".
func count(side string) int {
	_, text, found := strings.Cut(side, ",")
	if !found {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// line returns the next line that is not empty, without its end, of a very long one only the
// beginning. It is valid until the next call.
func (p *patches) line() ([]byte, error) {
	for {
		line, err := p.r.ReadSlice('\n')
		for cut := err; errors.Is(cut, bufio.ErrBufferFull); {
			line = append([]byte(nil), line...)
			_, cut = p.r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
			return line, nil
		}
	}
}
