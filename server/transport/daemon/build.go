package daemon

import (
	"cmp"
	"os"
	"strings"

	"golang.org/x/mod/semver"
)

// Build identifies one build of the program.
type Build struct {
	Version string `json:"version"` // a semantic version, or another word for a local build
	Commit  string `json:"commit"`
	// Time is when the executable was written, in nanoseconds since 1970, and Size its length: of
	// two builds with one version the later one is newer.
	Time int64 `json:"time"`
	Size int64 `json:"size"`
}

// ThisBuild returns the running build. It reads the executable that runs, even if another has
// replaced it on disk.
func ThisBuild(version, commit string) Build {
	b := Build{Version: version, Commit: commit}
	info, err := os.Stat("/proc/self/exe")
	if err != nil {
		path, _ := os.Executable()
		if info, err = os.Stat(path); err != nil {
			return b // older than any build with a known time
		}
	}
	b.Time, b.Size = info.ModTime().UnixNano(), info.Size()
	return b
}

// Compare orders builds: negative if b is older than c, 0 if they are equal. It is a total order,
// so that of any two builds at most one replaces the other. A build without a semantic version is a
// local build and counts as newer than a release.
func (b Build) Compare(c Build) int {
	v, w := Canonical(b.Version), Canonical(c.Version)
	if (v == "") != (w == "") {
		if v == "" {
			return 1
		}
		return -1
	}
	return cmp.Or(semver.Compare(v, w), cmp.Compare(b.Time, c.Time), cmp.Compare(b.Size, c.Size),
		strings.Compare(b.Version, c.Version), strings.Compare(b.Commit, c.Commit))
}

// Canonical returns a version in the form of package semver, or "" if it is invalid.
func Canonical(version string) string {
	if semver.IsValid(version) {
		return version
	}
	if v := "v" + version; semver.IsValid(v) {
		return v
	}
	return ""
}

func (b Build) String() string {
	commit := b.Commit
	const short = 12
	if len(commit) > short {
		commit = commit[:short]
	}
	if commit == "" || commit == "unknown" {
		return b.Version
	}
	return b.Version + " (" + commit + ")"
}
