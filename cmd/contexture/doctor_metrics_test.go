package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/servertest"
)

// TestDoctorLooksForMetrics checks that the doctor reports whether the metrics are served, not only
// whether the settings ask for it.
func TestDoctorLooksForMetrics(t *testing.T) {
	root := bank(t)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	check := func(w *world, listen string, status severity, state string, says ...string) {
		t.Helper()
		config := filepath.Join(w.env["HOME"], ".config", "contexture", "config.toml")
		if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(config, []byte("metrics.listen = \""+listen+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d := w.examined()
		got := d.of("metrics")
		if len(got) != 1 || got[0].Status != status {
			t.Fatalf("%s: %+v", listen, got)
		}
		for _, part := range says {
			if !strings.Contains(got[0].Detail+got[0].Action, part) {
				t.Errorf("%s: %+v does not say %q", listen, got[0], part)
			}
		}
		if e := d.Endpoints[len(d.Endpoints)-1]; !strings.HasPrefix(e.URL, "http://127.0.0.1:") || !strings.HasSuffix(e.URL, "/metrics") || e.State != state {
			t.Errorf("%s: %+v", listen, d.Endpoints)
		}
	}
	w := newWorld(t, root)
	check(w, "127.0.0.1:1", fine, "does not listen", "not served", "an editor")
	check(w, "localhost:1", fine, "does not listen", "not served")
	check(w, "127.0.0.1:0", fine, "does not listen", "not served")
	check(w, strings.TrimPrefix(other.URL, "http://"), warning, "does not listen", "another program", "metrics.listen")

	w.haveDaemon()
	e := servertest.Start(t, servertest.Options{
		Server: w.daemon, Roots: []string{root}, InitOptions: map[string]any{"metrics.listen": "127.0.0.1:0"},
	})
	address := w.daemon.MetricsAddress("127.0.0.1:0")
	if _, port, err := net.SplitHostPort(address); err != nil || port == "0" {
		t.Fatalf("listens at %q", address)
	}
	check(w, "127.0.0.1:0", fine, "listens", "served at http://"+address+"/metrics")
	check(w, address, fine, "listens", "served at http://"+address+"/metrics") // as another process finds it
	e.Hang()
	e.Exited()
	check(w, address, fine, "does not listen", "not served")
}
