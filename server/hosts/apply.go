package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// existing is a configuration file as it was found on disk.
type existing struct {
	there bool
	real  string // the target, if the path is a link
	data  []byte
	info  fs.FileInfo
}

// maxFileBytes is the size above which a file is not treated as a configuration.
const maxFileBytes = 8 << 20

// read reads a configuration file. A missing file is no error.
func (m *Machine) read(path string) (e existing, err error) {
	e.real = path
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, nil
	case err != nil:
		return e, withoutPath(err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if e.real, err = filepath.EvalSymlinks(path); err != nil {
			target, _ := os.Readlink(path)
			return e, fmt.Errorf("is a link to %s, which does not exist: fix or remove the link", target)
		}
		if info, err = os.Stat(e.real); err != nil {
			return e, withoutPath(err)
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return e, errors.New("is not a regular file")
	case info.Size() > maxFileBytes:
		return e, fmt.Errorf("has %d bytes, which is too much for a configuration", info.Size())
	}
	f, err := os.Open(e.real)
	if err != nil {
		return e, withoutPath(err)
	}
	defer f.Close()
	if e.data, err = io.ReadAll(io.LimitReader(f, maxFileBytes+1)); err != nil {
		return e, withoutPath(err)
	}
	e.there, e.info, e.data = true, info, nonNil(e.data)
	return e, nil
}

// withoutPath returns the system's error without the path, since the caller names it.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// writable returns why a file must not be written: it is read-only or another user's, which is
// presumably intended.
func (m *Machine) writable(e existing) error {
	switch {
	case !e.there:
		return nil
	case m.Owner != nil && m.Owner(e.info) != m.UID:
		return fmt.Errorf("belongs to another user (%d, you are %d): run this as that user, or change the owner", m.Owner(e.info), m.UID)
	case e.info.Mode().Perm()&0o200 == 0:
		return errors.New("is read-only: make it writable (chmod u+w), or add the entry where the file is generated")
	}
	return nil
}

// Apply writes a plan: all of it, or nothing if a step fails. It returns once everything is on
// disk. The record is written before the files, so that an interrupted installation can be
// uninstalled.
func (p *Plan) Apply() (err error) {
	done := 0
	defer func() {
		if err != nil {
			for i := done - 1; i >= 0; i-- {
				err = errors.Join(err, p.undo(&p.Changes[i]))
			}
		}
	}()
	if err := p.check(); err != nil {
		return err
	}
	if len(p.Changes) == 1 && p.Changes[0].shared {
		return p.applyShared(&p.Changes[0])
	}
	if p.install {
		return p.applyInstall(&done)
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		done = i + 1
		if err := p.write(c); err != nil {
			return &FileError{c.Path, err}
		}
	}
	for i := range p.Changes { // last, since the steps before can be undone
		p.tidy(&p.Changes[i])
	}
	if p.Consent {
		if err := p.machine.keep(uninstalledPath(p.machine.StateDir, p.Host.Name), nil); err != nil {
			return err
		}
	}
	return dropFile(recordPath(p.machine.StateDir, p.Host.Name))
}

// applyShared writes the change of a file of a workspace.
func (p *Plan) applyShared(c *Change) error {
	if err := p.write(c); err != nil {
		return &FileError{c.Path, err}
	}
	return nil
}

// check rejects a plan whose files have changed since it was made.
func (p *Plan) check() error {
	for i := range p.Changes {
		c := &p.Changes[i]
		now, err := p.machine.read(c.Path)
		if err != nil {
			return &FileError{c.Path, err}
		}
		if now.there != c.existing.there || !bytes.Equal(now.data, c.existing.data) {
			return &FileError{c.Path, errMeanwhile}
		}
	}
	return nil
}

func (p *Plan) applyInstall(done *int) error {
	p.record.Consent = p.Consent
	for i := range p.Changes {
		c := &p.Changes[i]
		c.rec.What = c.What
		if !c.existing.there {
			c.rec.Folders = p.machine.madeFolders(filepath.Dir(c.Path))
		}
		p.record.Files = append(p.record.Files, c.rec)
	}
	if err := p.machine.writeRecord(p.Host.Name, p.record); err != nil {
		return err
	}
	if err := dropFile(uninstalledPath(p.machine.StateDir, p.Host.Name)); err != nil {
		return err
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		*done = i + 1
		if !c.Changed() {
			continue
		}
		if err := p.putIn(c); err != nil {
			return &FileError{c.Path, withoutPath(err)}
		}
	}
	return nil
}

// putIn writes an installation's change, after copying the person's file.
func (p *Plan) putIn(c *Change) error {
	if c.existing.there && !c.rec.Created {
		if backup, err := p.machine.read(c.Path + Backup); err != nil {
			return err
		} else if !backup.there {
			if err := replace(c.Path+Backup, c.Before, c.existing.info.Mode().Perm()); err != nil {
				return err
			}
			c.copied = true
		}
	}
	if err := os.MkdirAll(filepath.Dir(c.existing.real), 0o700); err != nil {
		return err
	}
	return replace(c.existing.real, c.After, c.mode())
}

// mode returns the file's mode; a new file is accessible only to the person, since hosts keep
// secrets in such files, but one of a workspace to everyone. A hook is executable.
func (c *Change) mode() fs.FileMode {
	switch {
	case c.existing.there:
		return c.existing.info.Mode().Perm()
	case c.shared:
		return 0o644
	case c.hook:
		return 0o700
	}
	return 0o600
}

// write writes a change that needs no copy beside the file, or removes the file.
func (p *Plan) write(c *Change) error {
	if !c.Changed() {
		return nil
	}
	if c.copyTo != "" {
		if err := replace(c.copyTo, c.Before, c.mode()); err != nil {
			return withoutPath(err)
		}
	}
	if c.After == nil {
		return withoutPath(os.Remove(c.existing.real))
	}
	return withoutPath(replace(c.existing.real, c.After, c.mode()))
}

// tidy removes the copy beside a file and, if they are empty, the folders that the installation
// created. If its record is lost, these are the folders of an own file below that of the host.
func (p *Plan) tidy(c *Change) {
	_ = os.Remove(c.Path + Backup) // it may be missing
	folders := c.rec.Folders
	if c.within != "" {
		for own := filepath.Dir(c.Path); len(own) > len(c.within); own = filepath.Dir(own) {
			folders = append([]string{own}, folders...)
		}
	}
	for i := len(folders) - 1; i >= 0; i-- {
		_ = os.Remove(folders[i]) // fails if the folder is not empty
	}
}

// undo restores the previous content of a file.
func (p *Plan) undo(c *Change) error {
	if c.copied {
		_ = os.Remove(c.Path + Backup)
	}
	now, err := p.machine.read(c.Path)
	if err != nil {
		return &FileError{c.Path, err}
	}
	switch {
	case now.there && !c.existing.there:
		err = os.Remove(c.Path)
		p.tidy(c)
	case c.existing.there && !bytes.Equal(now.data, c.Before):
		err = replace(c.existing.real, c.Before, c.mode())
	}
	if err != nil {
		return &FileError{c.Path, fmt.Errorf("could not be written back: %w", withoutPath(err))}
	}
	return nil
}

// madeFolders returns the missing folders on the path to folder, and those that the installation of
// another host created: the last uninstallation removes them. The outermost is first.
func (m *Machine) madeFolders(folder string) (out []string) {
	made := map[string]bool{}
	for _, name := range Names() {
		rec, err := m.readRecord(name)
		if err != nil {
			continue // the folders of that host are kept
		}
		for _, f := range rec.Files {
			for _, dir := range f.Folders {
				made[dir] = true
			}
		}
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Lstat(folder); err != nil || made[folder] {
			out = append([]string{folder}, out...)
		}
	}
	return out
}

// replace atomically writes a file, through a new file in its folder, and waits until it is on
// disk.
func replace(path string, data []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".contexture-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// record lists what an installation wrote for a host. It is stored in the state directory.
type record struct {
	Files []fileRecord `json:"files"`
	// Consent reports whether the installation switched capture on.
	Consent bool `json:"consent,omitempty"`
}

// fileRecord is one file of a record.
type fileRecord struct {
	Path    string   `json:"path"`
	What    string   `json:"what"`
	Created bool     `json:"created,omitempty"` // there was none before
	Folders []string `json:"folders,omitempty"` // that were made for it
	Sum     string   `json:"sum"`               // of the written content
	// Written reports whether an installation changed the file: otherwise the file already
	// contained everything.
	Written bool `json:"written,omitempty"`
	// Edited reports whether the file was changed between two installations: the copy beside it is
	// older than that change.
	Edited bool `json:"edited,omitempty"`
}

func (r record) file(path string) (fileRecord, bool) {
	for _, f := range r.Files {
		if f.Path == path {
			return f, true
		}
	}
	return fileRecord{}, false
}

func recordPath(stateDir, host string) string {
	return filepath.Join(stateDir, "hosts", host+".json")
}

// Installed reports whether a host was set up by an installation with this state directory.
func Installed(stateDir, host string) bool {
	_, err := os.Lstat(recordPath(stateDir, host))
	return err == nil
}

// readRecord reads a host's record, empty if there is none. A damaged record is an error: without
// it, files could not be restored exactly.
func (m *Machine) readRecord(host string) (r record, err error) {
	path := recordPath(m.StateDir, host)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, &FileError{path, fmt.Errorf("cannot be read (%w): remove it; installed entries are then found by their names", withoutPath(err))}
	}
	return r, nil
}

func (m *Machine) writeRecord(host string, r record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return m.keep(recordPath(m.StateDir, host), append(data, '\n'))
}

// keep writes a file of the state directory.
func (m *Machine) keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace(path, data, 0o600)
}

// dropFile removes a file, which may be missing.
func dropFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// uninstalledPath returns the path of the file which records that an uninstallation, not the
// person, switched capture off.
func uninstalledPath(stateDir, host string) string {
	return filepath.Join(stateDir, "hosts", host+".uninstalled")
}

// Uninstalled reports whether an uninstallation of the host switched its capture off: the next
// installation switches it on again.
func Uninstalled(stateDir, host string) bool {
	_, err := os.Lstat(uninstalledPath(stateDir, host))
	return err == nil
}
