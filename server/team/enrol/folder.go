package enrol

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nkeys"
)

// record is the content of a team's folder that is no secret.
type record struct {
	Format      int            `json:"format"`
	TeamID      string         `json:"team_id"`
	Team        string         `json:"team"`
	Account     string         `json:"account"`
	System      string         `json:"system"`
	Servers     []string       `json:"servers"` // as members reach them
	CA          string         `json:"ca,omitempty"`
	FactBytes   int64          `json:"fact_bytes"`
	VectorBytes int64          `json:"vector_bytes"`
	Members     []memberRecord `json:"members"`
}

type memberRecord struct {
	Name     string     `json:"name"`
	Key      string     `json:"key"`
	Admitted time.Time  `json:"admitted"`
	Removed  *time.Time `json:"removed,omitempty"`
}

// lock makes the caller the only one that works on a folder, until it calls the result.
func lock(dir string) (unlock func() error, err error) {
	file := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("another command changes the team; if none does, remove %s", file)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the team's folder: %w", err)
	}
	return func() error { return errors.Join(f.Close(), os.Remove(file)) }, nil
}

// writeFile writes a file as a whole: a reader finds the old or the new content.
func writeFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func loadRecord(dir string) (*record, error) {
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no team's folder: contexture team init makes one: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the team: %w", err)
	}
	r := new(record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, recordFile), err)
	}
	if r.Format != membershipFormat {
		return nil, fmt.Errorf("%s has format %d; this program reads %d", filepath.Join(dir, recordFile), r.Format, membershipFormat)
	}
	return r, nil
}

func (r *record) save(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, recordFile), append(text, '\n')); err != nil {
		return fmt.Errorf("save the team: %w", err)
	}
	return nil
}

// newKey makes a key and saves its seed.
func newKey(dir, name string, make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string, error) {
	pair, err := make()
	if err != nil {
		return nil, "", err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, "", err
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, "", err
	}
	return pair, public, writeFile(filepath.Join(dir, keyFolder, name), seed)
}

// loadKey returns a key of the folder.
func loadKey(dir, name string) (nkeys.KeyPair, error) {
	file := filepath.Join(dir, keyFolder, name)
	seed, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the team's key: %w", err)
	}
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return pair, nil
}
