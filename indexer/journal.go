package indexer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/contexture-dev/contexture/indexer/store"
)

// A grammar is C code: a fault in one ends the process and cannot be caught. So each worker records
// which file it is cutting; a file that was being cut when the process ended, several times in a
// row, is cut as plain text from then on. An end unrelated to the file (kill -9, a power failure)
// hits another file the next time.

// maxCrashes is how often the process must have ended while cutting a file before the file is
// blamed.
const maxCrashes = 3

var keyCrash = []byte("q/")

const journalPattern = "parsing-*"

// journal is one worker's record of the file that it is cutting.
type journal struct{ f *os.File }

func openJournal(dir string, worker int) (*journal, error) {
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("parsing-%d", worker)))
	if err != nil {
		return nil, fmt.Errorf("record the file being read: %w", err)
	}
	return &journal{f}, nil
}

// begin records a path; after an error there is no record, which only prevents blame.
func (j *journal) begin(path string) {
	if j != nil && len(path) <= 1<<16-1 {
		_, _ = j.f.WriteAt(append(binary.BigEndian.AppendUint16(nil, uint16(len(path))), path...), 0)
	}
}

func (j *journal) end() {
	if j != nil {
		_, _ = j.f.WriteAt([]byte{0, 0}, 0)
	}
}

func (j *journal) close() {
	if j != nil {
		_ = j.f.Close()
		_ = os.Remove(j.f.Name())
	}
}

// suspects counts by path how often the process ended while cutting a file. Only the writer's
// goroutine uses it.
type suspects map[string]int

// loadSuspects reads which files were being cut when earlier processes ended, in the store and in
// the journals of dir, and stores the counts.
func loadSuspects(db *store.Store, dir string) (suspects, error) {
	s := suspects{}
	err := db.Scan(keyCrash, func(k, v []byte) error {
		if len(v) == 1 {
			s[string(k)] = int(v[0])
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	notes, err := filepath.Glob(filepath.Join(dir, journalPattern))
	if err != nil {
		return s, err
	}
	for _, name := range notes {
		b, err := os.ReadFile(name)
		if err == nil && len(b) >= 2 {
			if n := int(binary.BigEndian.Uint16(b)); n > 0 && n <= len(b)-2 {
				s[string(b[2:2+n])]++
			}
		}
		if err := os.Remove(name); err != nil {
			return s, fmt.Errorf("record the file that was being read: %w", err)
		}
	}
	return s, s.keep(db)
}

// blamed reports whether a file is cut as plain text.
func (s suspects) blamed(path string) bool { return s[path] >= maxCrashes }

// keep stores the counts durably.
func (s suspects) keep(db *store.Store) error {
	b := db.NewBatch()
	if err := s.put(b); err != nil {
		return errors.Join(err, b.Drop())
	}
	if err := b.Commit(); err != nil {
		return err
	}
	return db.Flush()
}

// put adds the counts to a batch, in place of the stored ones.
func (s suspects) put(b *store.Batch) error {
	if err := b.DeletePrefix(keyCrash); err != nil {
		return err
	}
	for path, n := range s {
		if err := b.Set(append(append([]byte(nil), keyCrash...), path...), []byte{byte(min(n, 255))}); err != nil {
			return err
		}
	}
	return nil
}

// clear removes the counts of files that were cut successfully.
func (s suspects) clear(db *store.Store, log *slog.Logger) {
	cleared := false
	for path, n := range s {
		if n < maxCrashes {
			delete(s, path)
			cleared = true
		}
	}
	if !cleared {
		return
	}
	if err := s.keep(db); err != nil {
		log.Warn("clear the files suspected of crashes", "err", err)
	}
}
