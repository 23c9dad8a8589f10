package hosts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Backup is the suffix of the copy that is kept beside a file while the file contains the program's
// parts.
const Backup = ".contexture-backup"

// edited is the suffix of the copy of a file that belonged only to the program and was changed by a
// person.
const edited = ".contexture-edited"

// Machine is the machine on which hosts are set up.
type Machine struct {
	Env      Environment
	StateDir string // absolute; holds the records of installations
	// UID is the current user, and Owner returns the user of a file; Owner is nil if the system has
	// no file owners.
	UID   int
	Owner func(fs.FileInfo) int
}

// Plan is what will be written for a host. Nothing is written before Apply.
type Plan struct {
	Host    Host
	Changes []Change
	// Unwritten are the files that an installation leaves out, since the extension that reads them
	// is not installed.
	Unwritten []string
	// Consent reports that an installation switched capture on for the host. The caller sets it
	// before Apply, and switches capture off again after an uninstallation.
	Consent bool

	machine *Machine
	install bool
	record  record
}

// Change is one file of a plan.
type Change struct {
	Path string // as the host reads it
	What string // for people
	// Before and After are the contents. After is nil if the file is removed, Before if there is
	// none.
	Before, After []byte
	// Kept are the parts that the person had created and that remain.
	Kept []string

	existing existing
	rec      fileRecord
	copyTo   string // path for a copy of Before
	copied   bool   // the copy beside the file was made by this plan
	shared   bool   // the file is part of a workspace: no record and no copy of it is kept
	within   string // folder of the host, if the file is the program's own and its record is lost
	hook     bool   // the file is executable
}

// Changed reports whether the file is written or removed.
func (c *Change) Changed() bool {
	return !bytes.Equal(c.Before, c.After) || (c.Before == nil) != (c.After == nil)
}

// Installs reports whether the plan is that of an installation.
func (p *Plan) Installs() bool { return p.install }

// Changed reports whether anything is written.
func (p *Plan) Changed() bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Changed() })
}

// FileError reports what is wrong with a configuration file. Nothing was written for its host.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// PlanInstall plans to write what a host needs. A second installation plans no changes. The error
// joins a *FileError for each file that cannot be handled.
func (m *Machine) PlanInstall(h Host, program Program) (*Plan, error) {
	p := &Plan{Host: h, machine: m, install: true}
	rec, err := m.readRecord(h.Name)
	if err != nil {
		return nil, err
	}
	p.Consent = rec.Consent
	p.record = record{Consent: rec.Consent}
	var errs []error
	for _, f := range h.files(m.Env, program) {
		if _, known := rec.file(f.path); f.what == whatProgram && !known && !h.client(m.Env) {
			p.Unwritten = append(p.Unwritten, f.path)
			continue
		}
		c, err := m.planFile(f, rec)
		if err != nil {
			errs = append(errs, &FileError{f.path, err})
			continue
		}
		p.Changes = append(p.Changes, c)
	}
	return p, errors.Join(errs...)
}

// planFile plans an installation's change of a file.
func (m *Machine) planFile(f file, rec record) (c Change, err error) {
	c = Change{Path: f.path, What: f.what}
	if whole, is := f.write.(wholeFile); is {
		c.hook = whole.hook
	}
	if c.existing, err = m.read(f.path); err != nil {
		return c, err
	}
	if c.existing.there {
		c.Before = c.existing.data
	}
	old, known := rec.file(f.path)
	original := c.Before
	switch backup, err := m.read(f.path + Backup); {
	case known && old.Created:
		original = nil
	case err == nil && backup.there:
		original = backup.data
	case known && old.Written: // somebody removed the copy: all that bears the program's name counts as its own
		original = nil
	}
	if c.After, c.Kept, err = f.write.install(c.Before, original); err != nil {
		return c, err
	}
	c.rec = fileRecord{Path: f.path, Created: !c.existing.there, Sum: sum(c.After)}
	if known {
		c.rec.Created, c.rec.Folders = old.Created || !old.Written && !c.existing.there, old.Folders
		c.rec.Edited = old.Edited || c.existing.there && sum(c.Before) != old.Sum
	}
	c.rec.Written = old.Written || c.Changed()
	if c.Changed() {
		err = m.writable(c.existing)
	}
	return c, err
}

// PlanUninstall plans to remove what an installation wrote. A file that was not changed since is
// restored byte for byte; from a changed file, only the program's parts are removed. Errors as of
// PlanInstall.
func (m *Machine) PlanUninstall(h Host) (*Plan, error) {
	p := &Plan{Host: h, machine: m}
	rec, err := m.readRecord(h.Name)
	if err != nil {
		return nil, err
	}
	p.Consent = rec.Consent
	var errs []error
	for _, f := range m.written(h, rec) {
		c, err := m.planRemoval(f, rec)
		if err != nil {
			errs = append(errs, &FileError{f.path, err})
			continue
		}
		p.Changes = append(p.Changes, c)
	}
	return p, errors.Join(errs...)
}

// written returns the files to which an installation may have written: the host's current ones, and
// those of the record.
func (m *Machine) written(h Host, rec record) []file {
	files := h.files(m.Env, Program{Path: programName})
	for _, old := range rec.Files {
		if slices.ContainsFunc(files, func(f file) bool { return f.path == old.Path }) {
			continue
		}
		like := slices.IndexFunc(files, func(f file) bool { return f.what == old.What && format(f.path) == format(old.Path) })
		if like >= 0 {
			files = append(files, file{old.Path, old.What, files[like].write})
		}
	}
	return files
}

// format returns what the formats of a host's files differ in: the first letter of the extension,
// such as of json and jsonc, "" without one.
func format(path string) string {
	ext := filepath.Ext(path)
	return ext[:min(2, len(ext))]
}

// planRemoval plans an uninstallation's change of a file.
func (m *Machine) planRemoval(f file, rec record) (c Change, err error) {
	c = Change{Path: f.path, What: f.what}
	c.rec, _ = rec.file(f.path)
	if c.existing, err = m.read(f.path); err != nil || !c.existing.there {
		return c, err
	}
	c.Before = c.existing.data
	if c.rec.Path != "" && !c.rec.Written { // the file was complete before the program was installed
		c.After = c.Before
		return c, nil
	}
	backup, err := m.read(f.path + Backup)
	if err != nil {
		return c, err
	}
	untouched := c.rec.Sum != "" && !c.rec.Edited && sum(c.Before) == c.rec.Sum
	switch {
	case untouched && c.rec.Created:
		c.After = nil
	case untouched && backup.there:
		c.After = nonNil(backup.data)
	default:
		if err := c.takeOut(f, backup); err != nil {
			return c, err
		}
	}
	if c.Changed() {
		err = m.writable(c.existing)
	}
	return c, err
}

// takeOut plans to remove the program's parts from a file that was changed since the installation,
// or that has no record. backup is the copy from before the installation.
func (c *Change) takeOut(f file, backup existing) error {
	var original []byte
	if backup.there {
		original = backup.data
	}
	after, err := f.write.remove(c.Before, original)
	if err != nil {
		return err
	}
	if backup.there && equalButForEnd(after, original) {
		after = original
	}
	if whole, is := f.write.(wholeFile); is && after == nil {
		if c.rec.Sum != "" {
			c.copyTo = f.path + edited
		} else {
			c.within = whole.within
		}
	}
	ownOnly := c.rec.Created || !bytes.Equal(c.Before, after)
	if f.write.blank(after) && !backup.there && ownOnly {
		c.After = nil
	} else {
		c.After = nonNil(after)
	}
	return nil
}

// equalButForEnd reports whether a and b differ only in trailing blanks.
func equalButForEnd(a, b []byte) bool {
	const blanks = " \t\r\n"
	return bytes.Equal(bytes.TrimRight(a, blanks), bytes.TrimRight(b, blanks))
}

// nonNil returns data, or an empty slice instead of nil: an empty file is not a missing one.
func nonNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// sum identifies a file's content in the record.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// short abbreviates the home directory in a path to ~.
func (e Environment) short(path string) string {
	if rest, ok := strings.CutPrefix(path, e.Home+string(filepath.Separator)); ok && e.Home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// Short abbreviates the home directory in a path to ~, for display.
func (m *Machine) Short(path string) string { return m.Env.short(path) }

var errMeanwhile = errors.New("was changed by another program meanwhile: try again")
