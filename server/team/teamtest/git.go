package teamtest

import (
	"os"
	"os/exec"
	"testing"
)

// Git runs git in a folder as somebody without a configuration of their own.
func Git(t testing.TB, dir string, args ...string) {
	t.Helper()
	fixed := []string{"-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"}
	cmd := exec.Command("git", append(fixed, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}
