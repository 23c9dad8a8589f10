package daemon

import (
	"cmp"
	"os"
	"strings"

	"golang.org/x/mod/semver"
)

// Build tells one build of the program from another.
type Build struct {
	Version string `json:"version"` // a semantic version, or another word for what was built by hand
	Commit  string `json:"commit"`
	// Time is when the executable was written, in nanoseconds since 1970, and Size its length: what
	// was built again without a new version is newer.
	Time int64 `json:"time"`
	Size int64 `json:"size"`
}

// ThisBuild is the build that runs. Of its executable, that is read which runs, also where another
// has taken its place.
func ThisBuild(version, commit string) Build {
	b := Build{Version: version, Commit: commit}
	info, err := os.Stat("/proc/self/exe")
	if err != nil {
		path, _ := os.Executable()
		if info, err = os.Stat(path); err != nil {
			return b // older than any that can be looked at
		}
	}
	b.Time, b.Size = info.ModTime().UnixNano(), info.Size()
	return b
}

// Compare orders builds: negative when b is older than c, 0 when they are the same. It is a total
// order, so that of any two builds at most one makes the other leave. What has no semantic version
// was built by hand and counts as newer than a release.
func (b Build) Compare(c Build) int {
	v, w := canonical(b.Version), canonical(c.Version)
	if (v == "") != (w == "") {
		if v == "" {
			return 1
		}
		return -1
	}
	return cmp.Or(semver.Compare(v, w), cmp.Compare(b.Time, c.Time), cmp.Compare(b.Size, c.Size),
		strings.Compare(b.Version, c.Version), strings.Compare(b.Commit, c.Commit))
}

// canonical is a version as package semver reads it, "" for what is none.
func canonical(version string) string {
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
