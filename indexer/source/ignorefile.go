package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Errors of EditIgnore that callers distinguish.
var (
	// ErrPattern is wrapped by the error for a text that is not a pattern: nothing was written.
	ErrPattern = errors.New("no pattern")
	// ErrNoSuchPattern means that the file does not contain the pattern to remove.
	ErrNoSuchPattern = errors.New("the pattern is not in the file")
)

// IgnoreFile returns the absolute path of the root's own .contextureignore, which need not exist.
func (t *Tree) IgnoreFile() string { return filepath.Join(t.root.path, contextureIgnore) }

// EditIgnore adds one pattern in Git's syntax as a line to the root's .contextureignore, which it
// creates if needed, or removes every line that contains the pattern. Other lines, line endings,
// the byte order mark and the presence of a final line ending stay as they are. It returns the
// patterns that the file then contains, after the file has been synced to disk. It does not add a
// pattern a second time. The file is replaced atomically, so that a reader sees the old or the new
// one; EditIgnore refuses a link at its path. The rules stay those of the last Reload.
func (t *Tree) EditIgnore(pattern string, remove bool) ([]string, error) {
	wanted, err := onePattern(pattern)
	if err != nil {
		return nil, err
	}
	t.edit.Lock()
	defer t.edit.Unlock()
	fail := func(err error) ([]string, error) {
		return nil, fmt.Errorf("change %s: %w", t.IgnoreFile(), err)
	}
	dir, err := t.root.openFolder()
	if err != nil {
		return fail(err)
	}
	defer closeFolder(dir)
	before, mode, err := readIgnore(dir)
	if err != nil {
		return fail(err)
	}
	after := before
	switch has := slices.Contains(patternsOf(before), wanted); {
	case remove && !has:
		return nil, ErrNoSuchPattern
	case remove:
		after = withoutPattern(before, wanted)
	case !has:
		after = withPattern(before, wanted)
	}
	if len(after) > maxRuleFileBytes {
		return fail(syscall.EFBIG)
	}
	if !bytes.Equal(before, after) {
		if err := replaceAt(dir, contextureIgnore, after, mode); err != nil {
			return fail(err)
		}
	}
	return patternsOf(after), nil
}

// onePattern returns a pattern as a line of a rule file, without trailing blanks.
func onePattern(text string) (string, error) {
	if strings.ContainsAny(text, "\n\r\x00") {
		return "", fmt.Errorf("%w: it has more than one line", ErrPattern)
	}
	found := patternsOf([]byte(text))
	switch {
	case len(found) == 1 && !strings.HasPrefix(text, byteOrderMark):
		return found[0], nil
	case strings.HasPrefix(text, "#"):
		return "", fmt.Errorf(`%w: it is a comment; write \# for a name that begins with #`, ErrPattern)
	}
	return "", fmt.Errorf("%w: it matches nothing", ErrPattern)
}

const byteOrderMark = "\xef\xbb\xbf"

// patternsOf returns the patterns of a rule file as they are written.
func patternsOf(data []byte) (out []string) {
	for _, p := range parseRules(data, false).patterns {
		out = append(out, p.raw)
	}
	return out
}

// withPattern adds a line.
func withPattern(data []byte, pattern string) []byte {
	end := "\n"
	if first := bytes.IndexByte(data, '\n'); first > 0 && data[first-1] == '\r' {
		end = "\r\n"
	}
	switch {
	case len(data) == 0 || data[len(data)-1] == '\n':
		return slices.Concat(data, []byte(pattern+end))
	case string(data) == byteOrderMark:
		return slices.Concat(data, []byte(pattern+end))
	case data[len(data)-1] == '\r': // counts as the first half of an end already
		end = "\n"
	}
	return slices.Concat(data, []byte(end+pattern)) // the last line had no end
}

// withoutPattern removes the lines that contain a pattern.
func withoutPattern(data []byte, pattern string) []byte {
	mark := ""
	if rest, ok := bytes.CutPrefix(data, []byte(byteOrderMark)); ok {
		mark, data = byteOrderMark, rest
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if !slices.Contains(patternsOf(line), pattern) {
			out = append(out, line...)
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' { // the last line had no end
		out = bytes.TrimSuffix(out, []byte("\n"))
		if cut := bytes.TrimSuffix(out, []byte("\r")); !bytes.HasSuffix(cut, []byte("\r")) {
			out = cut
		}
	}
	return append([]byte(mark), out...)
}

// readIgnore reads the rule file of an open folder; data is empty if there is none.
func readIgnore(dir folderHandle) (data []byte, mode fs.FileMode, err error) {
	const newMode = 0o644
	file, st, err := openFileAt(dir, contextureIgnore)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, newMode, nil
	case errors.Is(err, errLink):
		return nil, 0, errors.New("it is a link, which the rules do not follow; put a file in its place")
	case err != nil:
		return nil, 0, err
	}
	defer closeFile(file)
	data, err = readRules(file, st.size)
	return data, st.mode.Perm(), err
}

// replaceAt writes a file beside name in an open folder and renames it to name.
func replaceAt(dir folderHandle, name string, data []byte, mode fs.FileMode) (err error) {
	temporary := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	if err := removeAt(dir, temporary); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash
		return err
	}
	file, err := createAt(dir, temporary)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = renameAt(dir, temporary, name)
	}
	if err != nil {
		_ = removeAt(dir, temporary) // the error that counts is the first
		return err
	}
	return syncFolder(dir)
}
