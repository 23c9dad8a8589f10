//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnState holds that a state directory in which another user could change something is neither
// worked in nor served, and that the error says what to do.
func TestOwnState(t *testing.T) {
	self := os.Geteuid()
	for _, tt := range []struct {
		name   string
		folder string // in the state directory; "" is that itself
		mode   os.FileMode
		uid    int
		says   []string // "" is fine
	}{
		{"its own", "", 0o700, self, nil},
		{"that others may read", "", 0o755, self, nil},
		{"of another user", "", 0o777, self + 1, []string{"belongs to another user", "--state-dir"}},
		{"of another user, closed to others", "", 0o700, self + 1, []string{"belongs to another user", "--state-dir"}},
		{"that all may write", "", 0o777, self, []string{"mode 0777", "chmod go-w", "--state-dir"}},
		{"that its group may write", "", 0o770, self, []string{"mode 0770", "chmod go-w"}},
		{"whose memory all may write", "memory", 0o777, self, []string{"memory", "mode 0777", "chmod go-w"}},
		{"whose index its group may write", "index", 0o775, self, []string{"index", "mode 0775"}},
		{"whose log all may write", "log", 0o702, self, []string{"log", "mode 0702"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			path := filepath.Join(state, tt.folder)
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			p, err := newPlace(state)
			if err != nil {
				t.Fatal(err)
			}
			p.uid = tt.uid
			for _, err := range []error{ownState(state, tt.uid), p.prepare()} {
				if (err == nil) != (len(tt.says) == 0) {
					t.Errorf("error: %v", err)
				}
				for _, part := range tt.says {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("%v does not say %q", err, part)
					}
				}
			}
		})
	}
}

// TestOwnStateIsMade holds that a state directory that is not there is made for its user only.
func TestOwnStateIsMade(t *testing.T) {
	state := filepath.Join(t.TempDir(), "new", "state")
	if err := OwnState(state); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it is %v: %v", info.Mode(), err)
	}
}

// TestStateInTheWay holds that what stands where a state directory should be is named, with what to
// do.
func TestStateInTheWay(t *testing.T) {
	dir := t.TempDir()
	file, link, loop := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "loop")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{link: "nowhere", loop: "loop"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for state, says := range map[string]string{
		file: file + " is a file", filepath.Join(file, "below"): file + " is a file", link: link + " is a link that leads nowhere",
		loop: loop + " is a link that leads nowhere",
	} {
		if err := OwnState(state); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "--state-dir DIR") {
			t.Errorf("%s: %v", state, err)
		}
	}
}

// TestLinkedFolder: a link in the folder's place is neither served in nor dialled through.
func TestLinkedFolder(t *testing.T) {
	p, err := newPlace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), p.run); err != nil {
		t.Fatal(err)
	}
	if err := p.prepare(); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("prepare: %v", err)
	}
	if _, err := p.dial(t.Context()); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("dial: %v", err)
	}
}

// TestOpenFolder: a folder that others may look into is closed to them.
func TestOpenFolder(t *testing.T) {
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, runFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	begin(t, state, nil)
	if info, err := os.Stat(filepath.Join(state, runFolder)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it is %v: %v", info.Mode(), err)
	}
}

// TestLostState: a daemon whose directory was removed leaves when its clients have, and another can
// take the place.
func TestLostState(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	r := begin(t, state, nil)
	conn := r.dial(5)
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	other := begin(t, state, nil)
	answers(t, conn)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.ends(); err != nil {
		t.Error(err)
	}
	answers(t, other.dial(5))
}

// removals take the place from a daemon that runs, which Windows does not permit.
var removals = []move{
	{"the socket is removed", func(_, state string) error { return os.Remove(filepath.Join(state, runFolder, endpointName)) }},
	{"all is removed", func(top, _ string) error { return os.RemoveAll(top) }},
}
