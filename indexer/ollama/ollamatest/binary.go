package ollamatest

import (
	"context"
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

var binary struct {
	once sync.Once
	path string
	err  error
}

// program returns the path of the server's program. The first call builds it where this machine has none, which takes
// minutes; processes that ask at the same time wait for one build.
func program(ctx context.Context) (string, error) {
	binary.once.Do(func() {
		cmd := exec.CommandContext(ctx, "sh", "-c", build)
		cmd.Stderr = os.Stderr
		ownGroup(cmd)
		out, err := cmd.Output()
		if err != nil {
			binary.err = fmt.Errorf("build the Ollama server: %w; run 'make test', which installs what the build needs, "+
				"or set OLLAMA_BIN to a server's path", err)
		}
		binary.path = strings.TrimSpace(string(out))
	})
	return binary.path, binary.err
}
