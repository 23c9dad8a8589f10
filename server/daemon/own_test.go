package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnState holds that a state directory in which another user could change something is neither worked in nor
// served, and that the error says what to do.
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
