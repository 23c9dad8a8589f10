package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// checksums returns a release's list with archives of versions for this system.
func checksums(versions ...string) string {
	var b strings.Builder
	for _, v := range versions {
		fmt.Fprintf(&b, "%064x  contexture_%s_%s_%s.tar.xz\n", 1, v, runtime.GOOS, runtime.GOARCH)
		fmt.Fprintf(&b, "%064x  contexture_99.0.0_plan9_mips.tar.xz\n%064x  contexture_%s.cdx.json\n", 2, 3, v)
	}
	return b.String()
}

// TestVersionCheck: the newest release is read from an address only on request, and an answer that
// is none is an error that names the address.
func TestVersionCheck(t *testing.T) {
	defer func(v string) { version = v }(version)
	version = "1.2.0"
	mux := http.NewServeMux()
	asked := 0
	for path, body := range map[string]string{
		"/newer": checksums("1.3.0"), "/same": checksums("1.2.0"), "/older": checksums("1.1.9", "1.2.0-rc.1"), "/several": checksums("1.9.0", "1.10.0"),
		"/page": "<html>", "/others": strings.ReplaceAll(checksums("2.0.0"), "_"+runtime.GOARCH, "_mips"), "/long": strings.Repeat("x\n", maxReleases),
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { asked++; _, _ = io.WriteString(w, body) })
	}
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/newer", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://releases.invalid/sums", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	server := httptest.NewServer(mux)
	defer server.Close()
	w := newWorld(t, t.TempDir())
	f := &flags{env: &environment{getenv: func(string) string { return "" }, dir: w.dir}, stateDir: w.state}
	for _, x := range []struct {
		address, newest string
		newer           bool
		fails           string
	}{
		{"/newer", "1.3.0", true, ""}, {"/same", "1.2.0", false, ""}, {"/older", "1.2.0-rc.1", false, ""},
		{"/several", "1.10.0", true, ""}, {"/moved", "1.3.0", true, ""},
		{"/page", "", false, "no list of checksums"}, {"/others", "", false, "no archive for " + runtime.GOOS},
		{"/absent", "", false, "404"}, {"/long", "", false, "longer than"}, {"/away", "", false, "http://releases.invalid/sums is not encrypted"},
		{"/round", "", false, "redirects more than"},
	} {
		if r := w.run("", "version", "--check", "--json", "--releases", server.URL+x.address); r.code != 0 || strings.Contains(r.out, "newest") {
			t.Errorf("%s: offline: %+v", x.address, r)
		}
		got, err := checkVersion(t.Context(), f, server.URL+x.address)
		if x.fails != "" {
			if err == nil || !strings.Contains(err.Error(), x.fails) || !strings.Contains(err.Error(), server.URL+x.address) {
				t.Errorf("%s: error %v", x.address, err)
			}
			continue
		}
		if err != nil || got.Newest != x.newest || got.Newer != x.newer {
			t.Errorf("%s: %+v, %v", x.address, got, err)
		}
	}
	before := asked
	if got, err := checkVersion(t.Context(), f, ""); err != nil || got.Newest != "" || before == 0 || asked != before {
		t.Errorf("without an address: %+v, %v; %d requests after %d", got, err, asked, before)
	}
}

// TestVersionCheckNamesDaemon: the running daemon and its build are a part of the answer.
func TestVersionCheckNamesDaemon(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.haveDaemon()
	r := w.run("", "version", "--check", "--json")
	var v versionCheck
	if err := json.Unmarshal([]byte(r.out), &v); err != nil || r.code != 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	if v.Daemon == nil || v.Daemon.PID == 0 || v.Daemon.Build != readVersion().String() || !filepath.IsAbs(v.Program) {
		t.Errorf("it is %s", r.out)
	}
}

func TestUpdateOf(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/lib/node_modules/@contexture/cli-linux-x64/bin/contexture":               "npm install",
		"/home/a/.vscode/extensions/contexture.contexture-0.1.0/bin/contexture":        "update the extension",
		"C:/Users/a/.vscode/extensions/contexture.contexture-0.1.0/bin/contexture.exe": "update the extension",
		"/home/a/.local/share/nvim/mason/packages/contexture/contexture":               ":MasonUpdate",
		"/opt/homebrew/Cellar/contexture/1.0.0/bin/contexture":                         "brew upgrade",
		"C:/Users/a/scoop/apps/contexture/current/contexture.exe":                      "scoop update",
		"/home/a/go/bin/contexture":                                                    "go install", "/usr/bin/contexture": "dpkg --install", "/usr/local/bin/contexture": "unpack",
	} {
		if got := updateOf(path); !strings.Contains(got, want) {
			t.Errorf("%s is updated by %q", path, got)
		}
	}
}
