package source

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// gitTimeout bounds one run of git; if it times out, the defaults apply.
const gitTimeout = 5 * time.Second

// runGit runs git in a folder and returns its output. It drops the environment's repository
// variables, which may name another repository.
func runGit(dir, home string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = gitEnvironment(home)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// An error means that git has ended meanwhile.
	timer := time.AfterFunc(gitTimeout, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	return out.Bytes(), err
}

// keptGitVariables are the prefixes of variables that configure git and do not choose a repository.
var keptGitVariables = []string{"GIT_CONFIG", "GIT_EXEC_PATH", "GIT_TEST_"}

func gitEnvironment(home string) []string {
	var env []string
next:
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "HOME=") && home != "" {
			continue
		}
		if strings.HasPrefix(kv, "GIT_") {
			for _, kept := range keptGitVariables {
				if strings.HasPrefix(kv, kept) {
					env = append(env, kv)
					continue next
				}
			}
			continue
		}
		env = append(env, kv)
	}
	if home != "" {
		env = append(env, "HOME="+home)
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
}

// gitConfig holds Git's configuration of ignore rules.
type gitConfig struct {
	excludesFile string // absolute; "" when there is none
	ignoreCase   bool
}

// readGitConfig returns the configuration that applies in a folder, with Git's default for the
// user's ignore file.
func readGitConfig(dir, home string) gitConfig {
	var cfg gitConfig
	// Exit code 1 means "nothing found"; any other error leaves the defaults too.
	out, _ := runGit(dir, home, "config", "-z", "--get-regexp", `^core\.(excludesfile|ignorecase)$`)
	isSet := false
	for item := range strings.SplitSeq(string(out), "\x00") {
		key, value, hasValue := strings.Cut(item, "\n")
		switch key {
		case "core.excludesfile":
			cfg.excludesFile, isSet = value, true
		case "core.ignorecase":
			cfg.ignoreCase = !hasValue || isTrue(value)
		}
	}
	switch {
	case isSet && cfg.excludesFile != "":
		cfg.excludesFile = expandHome(cfg.excludesFile, home, dir)
	case isSet: // set to nothing: none
	default:
		base := os.Getenv("XDG_CONFIG_HOME")
		if base == "" && home != "" {
			base = filepath.Join(home, ".config")
		}
		if base != "" {
			cfg.excludesFile = filepath.Join(base, "git", "ignore")
		}
	}
	return cfg
}

// isTrue reads a boolean as git-config does.
func isTrue(value string) bool {
	switch lowerASCII(value) {
	case "true", "yes", "on":
		return true
	case "", "false", "no", "off":
		return false
	}
	return strings.Trim(value, "+-0") != ""
}

func expandHome(path, home, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return absolute(path, dir)
}

// maxRuleFileBytes bounds an ignore file; one that is larger is not read.
const maxRuleFileBytes = 16 << 20

// readRuleFile reads an ignore file by its absolute path. Git follows a link to a file outside the
// work tree, but not inside it.
func readRuleFile(path string, noFollow bool) ([]byte, error) {
	file, st, err := openOutside(path, !noFollow)
	if err != nil {
		return nil, err
	}
	defer closeFile(file)
	return readRules(file, st.size)
}

func readRules(file fileHandle, size int64) ([]byte, error) {
	if size > maxRuleFileBytes {
		return nil, syscall.EFBIG
	}
	return readLimited(file, size, maxRuleFileBytes)
}
