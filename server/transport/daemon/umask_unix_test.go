//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A test's folders serve as state directories, in which nobody but their user may write.
func init() { syscall.Umask(0o022) }

func TestModes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state string
	}{{"short", t.TempDir()}, {"long", longState(t)}} {
		t.Run(tt.name, func(t *testing.T) {
			defer syscall.Umask(syscall.Umask(0))
			begin(t, tt.state, nil)
			for name, want := range map[string]os.FileMode{
				runFolder:                              os.ModeDir | 0o700,
				filepath.Join(runFolder, endpointName): os.ModeSocket | 0o600,
				filepath.Join(runFolder, daemonLock):   0o600,
			} {
				info, err := os.Lstat(filepath.Join(tt.state, name))
				if err != nil || info.Mode() != want {
					t.Errorf("%s is %v, want %v: %v", name, info.Mode(), want, err)
				}
			}
			conn, err := Dial(t.Context(), tt.state, hello(Session, 5))
			if err != nil {
				t.Fatal(err)
			}
			answers(t, conn)
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
