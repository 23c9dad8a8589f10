package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mark is how far a log was read. It lies in the state directory, one file a log, and holds no text
// of a conversation: what a parser holds back lies behind Offset and is read again by the next
// process.
type mark struct {
	Version int    `json:"version"`
	Path    string `json:"path"`

	// Of a log of lines. Before is a hash of what lies before Offset, see hashBefore.
	Offset int64           `json:"offset,omitempty"`
	Line   int             `json:"line,omitempty"` // lines before Offset
	Before string          `json:"before,omitempty"`
	Parser json.RawMessage `json:"parser,omitempty"`

	// Of a log that is replaced whole, and of a database.
	Size     int64     `json:"size,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Updated  time.Time `json:"updated,omitzero"` // of the newest session that was read

	Sessions map[string]sessionMark `json:"sessions,omitempty"`
	Counted  int                    `json:"counted,omitempty"` // lines of which Unknown and Skipped know
	Unknown  map[string]Unknown     `json:"unknown,omitempty"`
	Skipped  map[string]int         `json:"skipped,omitempty"`
	ReadAt   time.Time              `json:"readAt,omitzero"`
	Error    string                 `json:"error,omitempty"`
}

// sessionMark is what is known of a session.
type sessionMark struct {
	Cwd      string `json:"cwd,omitempty"`
	Messages int    `json:"messages"` // that were stored
	// Left says why the session is not stored, "" where it is.
	Left string `json:"left,omitempty"`
}

// markVersion is the form of mark. A file of another one counts as none: the log is read again.
const markVersion = 1

const markFolder = "logs" // in folder

// markPath is where the mark of a log lies.
func markPath(stateDir, source, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(stateDir, folder, markFolder, source, hex.EncodeToString(sum[:12])+".json")
}

// readMark reads how far a log was read; nil for not at all, also where the file is damaged.
func readMark(stateDir, source, path string) *mark {
	return decodeMark(markPath(stateDir, source, path), path)
}

func decodeMark(file, path string) *mark {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var m mark
	if json.Unmarshal(data, &m) != nil || m.Version != markVersion || path != "" && m.Path != path || m.Offset < 0 {
		return nil
	}
	return &m
}

// readMarks reads the marks of all logs of a source.
func readMarks(stateDir, source string) ([]*mark, error) {
	dir := filepath.Join(stateDir, folder, markFolder, source)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []*mark
	for _, e := range entries {
		if m := decodeMark(filepath.Join(dir, e.Name()), ""); m != nil {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *mark) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// write stores the mark. A crash leaves the one before.
func (m *mark) write(stateDir, source string) error {
	m.Version = markVersion
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := markPath(stateDir, source, m.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Not synced: what is lost with the machine is read again, and memory knows what it has.
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// hashWindow is how much is hashed of the beginning of a log and of what lies right before an
// offset. A log that was rewritten keeps neither; hashing all of it would read a large one again
// for each line.
const hashWindow = 4 << 10

// hashBefore hashes what lies before an offset.
func hashBefore(f io.ReaderAt, offset int64) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n", offset)
	first := min(offset, hashWindow)
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, first)); err != nil {
		return "", err
	}
	if _, err := io.Copy(h, io.NewSectionReader(f, max(first, offset-hashWindow), offset-max(first, offset-hashWindow))); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
