package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// examined returns what the doctor finds in a world.
func (w *world) examined() (d diagnosis) {
	w.t.Helper()
	r := w.run("", "doctor", "--json")
	if err := json.Unmarshal([]byte(r.out), &d); err != nil {
		w.t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	if (r.code == 0) != d.OK {
		w.t.Errorf("leaves with %d: %s", r.code, r.out)
	}
	return d
}

// of returns the findings of a check.
func (d diagnosis) of(check string) (out []finding) {
	for _, f := range d.Findings {
		if f.Check == check {
			out = append(out, f)
		}
	}
	return out
}

func TestDoctorLooksForADaemon(t *testing.T) {
	root := bank(t)
	w := newWorld(t, root)
	if got := w.examined().of("daemon"); len(got) != 1 || got[0].Status != fine || !strings.Contains(got[0].Detail, "none runs") {
		t.Errorf("without one: %+v", got)
	}
	w.haveDaemon()
	editor := w.daemon.Local(t.Context(), engine.SessionOptions{Root: root, Offline: true, Home: w.env["HOME"]})
	defer editor.Close()
	d := w.examined()
	if got := d.of("daemon"); len(got) != 1 || got[0].Status != fine || !strings.Contains(got[0].Detail, "serves 1 session") {
		t.Errorf("with one: %+v", got)
	}
	if got := d.of("index"); len(got) != 1 || got[0].Status != fine || strings.Contains(got[0].Detail, "in use") {
		t.Errorf("the index in it: %+v", got)
	}
	socket := endpoint{"unix://" + filepath.Join(w.state, "run", "contexture.sock"), "the shared daemon, for this user only", "reachable"}
	if !slices.Contains(d.Endpoints, socket) {
		t.Errorf("endpoints are %+v", d.Endpoints)
	}
	w.dials = func(daemon.Hello) (io.ReadWriteCloser, error) { return nil, errors.New("it does not answer") }
	if got := w.examined().of("daemon"); len(got) != 1 || got[0].Status != warning || got[0].Action == "" {
		t.Errorf("with one that does not answer: %+v", got)
	}
}

func TestDoctorLooksAtTheSocket(t *testing.T) {
	w := newWorld(t, bank(t))
	run := filepath.Join(w.state, "run")
	socket := filepath.Join(run, "contexture.sock")
	if err := errors.Join(os.MkdirAll(run, 0o700), os.WriteFile(socket, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := w.examined().of("socket"); len(got) != 1 || got[0].Status != fine {
		t.Errorf("got %+v", got)
	}
	for _, path := range []string{run, socket} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := w.examined().of("socket")
	if len(got) != 2 || got[0].Status != warning || got[0].Action != "chmod 700 "+run || got[1].Action != "chmod 600 "+socket {
		t.Errorf("got %+v", got)
	}
}

func TestDoctorLooksAtTheMemory(t *testing.T) {
	w := newWorld(t, bank(t))
	if got := w.examined().of("memory"); len(got) != 1 || got[0].Status != fine || !strings.Contains(got[0].Detail, "nothing is remembered yet") {
		t.Errorf("got %+v", got)
	}
	if r := w.run(someMemory, "memory", "import"); r.code != 0 {
		t.Fatal(r.err)
	}
	if got := w.examined().of("memory"); len(got) != 1 || got[0].Status != fine || !strings.Contains(got[0].Detail, "checkpoint") {
		t.Errorf("got %+v", got)
	}
	db := filepath.Join(w.state, "memory", "db")
	entries, err := os.ReadDir(db)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.WriteFile(filepath.Join(db, e.Name()), []byte("this is not what it was"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := w.examined()
	if got := d.of("memory"); d.OK || len(got) != 1 || got[0].Status != fault || !strings.Contains(got[0].Detail, "memory") || got[0].Action == "" {
		t.Errorf("got %+v", got)
	}
}
