//go:build !portable

package source

import (
	"os"
	"testing"
)

// The system's pseudo file systems contain no real files.
func TestPseudoFileSystems(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		return // a system without it has nothing to reject
	}
	isolate(t)
	if _, err := Open(Options{Root: "/proc/self", Home: t.TempDir()}); err == nil {
		t.Error("a folder of /proc is taken for a workspace")
	}
	proc, err := openSteps("/proc")
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(proc)
	here, err := openSteps(newBox(t).root)
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(here)
	if !isPseudo(proc) || isPseudo(here) {
		t.Errorf("/proc %t, a folder of files %t", isPseudo(proc), isPseudo(here))
	}
}
