//go:build unix

package ollamatest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// script runs the build with the test's environment and arguments.
func script(env []string, args ...string) (out, said string, err error) {
	cmd := exec.Command("sh", append([]string{"-c", build, "build"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return strings.TrimSpace(stdout.String()), strings.TrimSpace(stderr.String()), err
}

// TestBuildFails checks the messages for a person who lacks something.
func TestBuildFails(t *testing.T) {
	cache := "XDG_CACHE_HOME=" + t.TempDir()
	for _, c := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"no such server", []string{cache, "OLLAMA_BIN=/nowhere/ollama"}, nil, "OLLAMA_BIN is /nowhere/ollama, which is no program"},
		{"no compiler", []string{cache, "OLLAMA_BIN=", "CXX=false"}, nil, "g++ nlohmann-json3-dev libstb-dev"},
		{"only to be found", []string{cache, "OLLAMA_BIN="}, []string{"-n"}, ""},
	} {
		if out, said, err := script(c.env, c.args...); err == nil || out != "" || !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: prints %q, says %q, %v", c.name, out, said, err)
		}
	}
}

// fakeGo answers the build's calls of Go, and installs a one-line server. It keeps a list of its
// builds.
const fakeGo = `#!/bin/sh
case $1 in
env) case $2 in CXX) echo true ;; *) echo some ;; esac ;;
mod) : >"$MADE/miniaudio.h"; echo "	\"Dir\": \"$MADE\"," ;;
install) echo built >>"$MADE/builds"; mkdir -p "$GOBIN"; echo '#!/bin/sh' >"$GOBIN/ollama"; chmod +x "$GOBIN/ollama" ;;
esac
`

// TestBuildOnce has several processes request the server at once: one builds it, and all get it.
func TestBuildOnce(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "go")
	if err := os.WriteFile(fake, []byte(fakeGo), 0o700); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(dir, "cache")
	env := []string{"XDG_CACHE_HOME=" + cache, "OLLAMA_BIN=", "GO=" + fake, "MADE=" + dir}
	var paths [4]string
	var all sync.WaitGroup
	for i := range paths {
		all.Go(func() {
			out, said, err := script(env)
			if err != nil {
				t.Errorf("build: %v %s", err, said)
			}
			paths[i] = out
		})
	}
	all.Wait()
	for _, path := range paths {
		if path != paths[0] || !strings.HasPrefix(path, cache) {
			t.Errorf("the servers are %q", paths)
		}
	}
	if info, err := os.Stat(paths[0]); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the server is no program: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(paths[0]), "build.*")); err != nil || len(left) != 0 {
		t.Errorf("the build leaves %q, %v", left, err)
	}
	if out, _, err := script(env, "-n"); out != paths[0] || err != nil {
		t.Errorf("later it is found at %q, %v", out, err)
	}
	if out, _, err := script(append(env, "OLLAMA_BIN="+fake)); out != fake || err != nil {
		t.Errorf("in place of OLLAMA_BIN comes %q, %v", out, err)
	}
	most := 1
	if _, err := exec.LookPath("flock"); err != nil {
		most = len(paths)
	}
	builds, err := os.ReadFile(filepath.Join(dir, "builds"))
	if n := strings.Count(string(builds), "built"); err != nil || n < 1 || n > most {
		t.Errorf("%d builds, %v", n, err)
	}
}
