package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"golang.org/x/mod/semver"
)

// releases is the address of the list of checksums of the newest release; set in the build of a
// release, like version. "" if the build knows none.
var releases string

// Limits on a list of checksums.
const (
	releasesPatience = 10 * time.Second
	maxReleases      = 1 << 20
)

// versionCheck is what `contexture version --check --json` prints.
type versionCheck struct {
	versionInfo
	// Program is the path of the executable.
	Program string `json:"program"`
	// Daemon describes the shared process of the state directory; absent when none runs.
	Daemon *daemonVersion `json:"daemon,omitempty"`
	// Newest is the version of the newest release, and Releases the address that was queried for
	// it; both absent if the address is unknown or the program is offline.
	Newest   string `json:"newest,omitempty"`
	Releases string `json:"releases,omitempty"`
	// Newer reports whether the newest release is newer than this program.
	Newer bool `json:"newer"`
	// Update is the command or the step that replaces this program.
	Update string `json:"update"`
}

// daemonVersion describes the shared process.
type daemonVersion struct {
	PID      int    `json:"pid,omitempty"`
	Build    string `json:"build,omitempty"`
	Sessions int    `json:"sessions"`
	// Problem is why it could not be queried; "" if it could.
	Problem string `json:"problem,omitempty"`
}

// checkVersion compares this program with the daemon that runs and with the newest release. The
// latter is read from address, an address or a file, only if that is not "" and --offline is not
// set; nothing else is asked.
func checkVersion(ctx context.Context, f *flags, address string) (*versionCheck, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	v := &versionCheck{versionInfo: readVersion(), Program: path}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path
	}
	v.Update = updateOf(filepath.ToSlash(resolved))
	if v.Daemon, err = askVersion(ctx, f); err != nil {
		return nil, err
	}
	if address == "" || f.offline {
		return v, nil
	}
	v.Releases = address
	list, err := readReleases(ctx, f.env, address)
	if err == nil {
		v.Newest, err = newestRelease(list)
	}
	if err != nil {
		return nil, fmt.Errorf("read the newest release from %s: %w", address, err)
	}
	own := daemon.Canonical(v.Version)
	v.Newer = own != "" && semver.Compare(daemon.Canonical(v.Newest), own) > 0
	return v, nil
}

// askVersion queries the daemon of the state directory; nil if none runs.
func askVersion(ctx context.Context, f *flags) (*daemonVersion, error) {
	state, err := f.state()
	if err != nil {
		return nil, err
	}
	stream, err := f.dial(ctx, state, engine.SessionOptions{NoIndex: true})
	if errors.Is(err, errNoDaemon) {
		return nil, nil
	}
	if err != nil {
		return &daemonVersion{Problem: err.Error()}, nil
	}
	d, err := askProcess(ctx, stream, "")
	if err != nil {
		return &daemonVersion{Problem: err.Error()}, nil
	}
	return &daemonVersion{PID: d.PID, Build: d.Build, Sessions: d.Sessions}, nil
}

// readReleases returns the list at an address of the web or in a file. Addresses of other machines
// must be https, since the answer decides what a person installs.
func readReleases(ctx context.Context, e *environment, address string) (io.Reader, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		path, err := e.abs(address)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		return strings.NewReader(string(data)), err
	}
	if err := checkEncrypted(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, releasesPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "contexture")
	client := http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return errors.New("it redirects more than five times")
		}
		return checkEncrypted(r.URL)
	}}
	answer, err := client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the address is in the error already
		}
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", answer.Status)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxReleases+1))
	if err == nil && len(data) > maxReleases {
		err = fmt.Errorf("it is longer than %d bytes", maxReleases)
	}
	return strings.NewReader(string(data)), err
}

// checkEncrypted admits https, and http on this machine.
func checkEncrypted(u *url.URL) error {
	if u.Scheme == "https" || u.Scheme == "http" && settings.IsLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s is not encrypted; give an address with https", u.Redacted())
}

// archiveName is the name of a release's archive in its list of checksums.
var archiveName = regexp.MustCompile(`^[0-9a-f]{64} [ *]contexture_(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)_([a-z]+)_([a-z0-9]+)\.(?:tar\.xz|tar\.gz|zip)$`)

// newestRelease returns the newest version with an archive for this system in a list of checksums.
func newestRelease(list io.Reader) (string, error) {
	newest, others := "", 0
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		m := archiveName.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		switch {
		case m == nil:
		case m[2] != runtime.GOOS || m[3] != runtime.GOARCH:
			others++
		case newest == "" || semver.Compare("v"+m[1], "v"+newest) > 0:
			newest = m[1]
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return "", err
	case newest == "" && others > 0:
		return "", fmt.Errorf("it has no archive for %s on %s", runtime.GOOS, runtime.GOARCH)
	case newest == "":
		return "", errors.New("it is no list of checksums with contexture's archives")
	}
	return newest, nil
}

// updateOf returns how a program at path, with slashes, is replaced by a newer one. The path tells
// which way it was installed.
func updateOf(path string) string {
	for _, way := range []struct{ part, step string }{
		{"/node_modules/", "npm install --global @contexture/cli@latest"},
		{"/extensions/contexture.contexture-", "update the extension Contexture in the editor"},
		{"/mason/", ":MasonUpdate and :MasonInstall contexture in Neovim"},
		{"/.claude/plugins/", "update the plugin contexture in Claude Code, with /plugin"},
		{"/Cellar/", "brew upgrade contexture"},
		{"/scoop/", "scoop update contexture"},
		{"/go/bin/", "go install github.com/contexture-dev/contexture/cmd/contexture@latest"},
	} {
		if strings.Contains(path, way.part) {
			return way.step
		}
	}
	if path == "/usr/bin/contexture" {
		return "install the deb or rpm of the newer release: dpkg --install FILE or rpm --upgrade FILE"
	}
	return "unpack the newer release's archive over it"
}

// printCheck writes the check for a person.
func printCheck(f *flags, v *versionCheck) error {
	rows := [][]string{{"program", v.String()}, {"", v.Program}}
	switch d := v.Daemon; {
	case d == nil:
		rows = append(rows, []string{"daemon", "none runs"})
	case d.Problem != "":
		rows = append(rows, []string{"daemon", oneLine(d.Problem, 0)})
	default:
		rows = append(rows, []string{"daemon", d.Build})
		detail := fmt.Sprintf("process %d serves %s", d.PID, counted(d.Sessions, "session"))
		if d.Build != v.String() {
			detail += "; another build: the next editor that starts replaces it if this program is newer"
		}
		rows = append(rows, []string{"", detail})
	}
	newest := []string{"release", v.Newest + ", which is not newer"}
	switch {
	case f.offline:
		newest[1] = "not asked: --offline"
	case v.Releases == "":
		newest[1] = "not asked: this build knows no address of releases; give one with --releases"
	case v.Newer:
		newest[1] = v.Newest + " is newer"
	case daemon.Canonical(v.Version) == "":
		newest[1] = v.Newest + "; this build has no version to compare it with"
	}
	rows = append(rows, newest)
	if v.Newer {
		rows = append(rows, []string{"update", v.Update})
	}
	return f.env.show(f.env.table("", rows))
}
