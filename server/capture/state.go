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

// mark records how far a log was read. It is stored in the state directory, in one file per log,
// and holds no text of a conversation: what a parser holds back is after Offset and is read again
// by the next process.
type mark struct {
	Version int    `json:"version"`
	Path    string `json:"path"`

	// For a log of lines. Before is a hash of the bytes before Offset, see hashBefore.
	Offset int64           `json:"offset,omitempty"`
	Line   int             `json:"line,omitempty"` // lines before Offset
	Before string          `json:"before,omitempty"`
	Parser json.RawMessage `json:"parser,omitempty"`

	// For a log that is replaced as a whole, and for a database.
	Size     int64     `json:"size,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Updated  time.Time `json:"updated,omitzero"` // of the newest session that was read

	Sessions map[string]sessionMark    `json:"sessions,omitempty"`
	Counted  int                       `json:"counted,omitempty"` // lines of which Unknown and Skipped know
	Unknown  map[string]UnknownRecords `json:"unknown,omitempty"`
	Skipped  map[string]int            `json:"skipped,omitempty"`
	Unread   []Unread                  `json:"unread,omitempty"` // tables
	ReadAt   time.Time                 `json:"readAt,omitzero"`
	Error    string                    `json:"error,omitempty"`
}

// sessionMark records the state of a session.
type sessionMark struct {
	Cwd      string `json:"cwd,omitempty"`
	Messages int    `json:"messages"` // that were stored
	// Left is the reason why the session is not stored, "" if it is.
	Left string `json:"left,omitempty"`
	// ForkOf is the session that this one continues, ForkAt the id of the last message that it was
	// found to share with it.
	ForkOf string `json:"forkOf,omitempty"`
	ForkAt string `json:"forkAt,omitempty"`
}

// markVersion is the format of mark. A file in another format is ignored: the log is read again.
const markVersion = 1

const markFolder = "logs" // in folder

// markPath returns the path of a log's mark.
func markPath(stateDir, source, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(stateDir, folder, markFolder, source, hex.EncodeToString(sum[:12])+".json")
}

// readMark returns the mark of a log; nil if there is none or the file is damaged.
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

// write stores the mark. After a crash, the previous one remains.
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
	// Not synced: what a crash of the machine loses is read again, and memory ignores messages that
	// it has.
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// hashWindow is how many bytes are hashed at the beginning of a log and just before an offset. A
// log that was rewritten keeps neither; hashing all of a large log would read it again for each
// line.
const hashWindow = 4 << 10

// hashBefore returns a hash of the bytes before an offset.
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
