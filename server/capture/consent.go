package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Consent is stored in the state directory, in one small file per source, so that two processes
// that change it concurrently do not overwrite each other's decisions. A file contains "on" or
// "off"; a source without a file was never asked about and is off.
const (
	folder        = "capture" // of this package in the state directory
	consentFolder = "consent" // in folder
)

// SourceError reports that there is no source with a name.
type SourceError struct{ Name string }

func (e *SourceError) Error() string {
	return fmt.Sprintf("unknown source %q: the sources are %s", e.Name, strings.Join(Sources(), ", "))
}

// Consent returns which sources the person has switched on or off. A source that is not in the map
// was never asked about: it counts as off. If some files cannot be read, the others are returned
// together with the error.
func Consent(stateDir string) (map[string]bool, error) {
	out := map[string]bool{}
	var errs []error
	for _, source := range Sources() {
		path := consentPath(stateDir, source)
		text, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			errs = append(errs, fmt.Errorf("read consent to capture: %w", err))
		case strings.TrimSpace(string(text)) == "on":
			out[source] = true
		case strings.TrimSpace(string(text)) == "off":
			out[source] = false
		default:
			errs = append(errs, fmt.Errorf("read consent to capture: %s says neither on nor off: switch %s on or off again", path, source))
		}
	}
	return out, errors.Join(errs...)
}

// SetConsent switches a source on or off for this person. It returns once the decision is on disk.
// Errors: *SourceError, and those of writing.
func SetConsent(stateDir, source string, on bool) error {
	if !IsSource(source) {
		return &SourceError{source}
	}
	word := "off\n"
	if on {
		word = "on\n"
	}
	path := consentPath(stateDir, source)
	if now, err := os.ReadFile(path); err == nil && string(now) == word {
		return nil // the file keeps its time, which is that of the decision
	}
	if err := writeFile(path, []byte(word)); err != nil {
		return fmt.Errorf("store consent to capture: %w", err)
	}
	return nil
}

func consentPath(stateDir, source string) string {
	return filepath.Join(stateDir, folder, consentFolder, source)
}

// writeFile atomically replaces a file, with mode 0600, and waits until it is on disk. It creates
// the file's folder with mode 0700.
func writeFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder makes a rename in a folder durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
