package indexer

import (
	"encoding/binary"
	"errors"
	"fmt"
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

// loadCrashes reads which files were being cut when earlier processes ended, and counts them.
func (w *writer) loadCrashes() error {
	w.crashes = map[string]int{}
	err := w.db.Scan(keyCrash, func(k, v []byte) error {
		if len(v) == 1 {
			w.crashes[string(k)] = int(v[0])
		}
		return nil
	})
	if err != nil {
		return err
	}
	notes, err := filepath.Glob(filepath.Join(w.dir, journalPattern))
	if err != nil {
		return err
	}
	for _, name := range notes {
		b, err := os.ReadFile(name)
		if err == nil && len(b) >= 2 {
			if n := int(binary.BigEndian.Uint16(b)); n > 0 && n <= len(b)-2 {
				w.crashes[string(b[2:2+n])]++
			}
		}
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("record the file that was being read: %w", err)
		}
	}
	return w.keepStrikes()
}

func (w *writer) keepStrikes() error {
	b := w.db.NewBatch()
	if err := w.putStrikes(b); err != nil {
		return errors.Join(err, b.Drop())
	}
	if err := b.Commit(); err != nil {
		return err
	}
	return w.db.Flush()
}

func (w *writer) putStrikes(b *store.Batch) error {
	if err := b.DeletePrefix(keyCrash); err != nil {
		return err
	}
	for path, n := range w.crashes {
		if err := b.Set(append(append([]byte(nil), keyCrash...), path...), []byte{byte(min(n, 255))}); err != nil {
			return err
		}
	}
	return nil
}

// clearCrashes removes the counts of files that were cut successfully.
func (w *writer) clearCrashes() {
	forgiven := false
	for path, n := range w.crashes {
		if n < maxCrashes {
			delete(w.crashes, path)
			forgiven = true
		}
	}
	if !forgiven {
		return
	}
	if err := w.keepStrikes(); err != nil {
		w.log.Warn("clear the files suspected of crashes", "err", err)
	}
}
