package ollamatest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// build makes the server's program or finds it, and prints where it is.
//
//go:embed build.sh
var build string

// environ is the environment before a test sets another home folder, which has no caches.
var environ = os.Environ()

var binary struct {
	once sync.Once
	path string
	err  error
}

// program returns the path of the server's program. The first call builds it if this machine has
// none, which takes minutes; concurrent processes wait for one build.
func program() (string, error) {
	binary.once.Do(func() {
		cmd := exec.Command("sh", "-c", build)
		cmd.Env = environ
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			binary.err = fmt.Errorf("build the Ollama server: %w; run 'make test', which installs what the build needs, "+
				"or set OLLAMA_BIN to a server's path", err)
		}
		binary.path = strings.TrimSpace(string(out))
	})
	return binary.path, binary.err
}
