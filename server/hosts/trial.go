package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contexture-dev/contexture/context/receipt"
)

// trialPath returns the path of the file of a workspace's trial, by whatever path its root is
// known.
func trialPath(stateDir, root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(stateDir, "hosts", "trials", hex.EncodeToString(sum[:16])+".json")
}

// ReadTrial returns the trial of the names of places in a workspace; the zero value if there is
// none, or one that cannot be read.
func ReadTrial(stateDir, root string) (t receipt.Trial, err error) {
	path := trialPath(stateDir, root)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err != nil {
		return receipt.Trial{}, fmt.Errorf("read how places paid: %w", err)
	}
	return t, nil
}

// WriteTrial replaces the trial of a workspace.
func WriteTrial(stateDir, root string, t receipt.Trial) error {
	raw, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("record how places paid: %w", err)
	}
	path := trialPath(stateDir, root)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("record how places paid: %w", err)
	}
	if err := replace(path, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("record how places paid: %w", err)
	}
	return nil
}

// RemoveTrial removes the trial of a workspace, if there is one.
func RemoveTrial(stateDir, root string) error {
	if err := os.Remove(trialPath(stateDir, root)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget how places paid: %w", err)
	}
	return nil
}
