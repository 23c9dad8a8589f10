package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// protocol is the version of the wire. Another one is refused.
const protocol = 1

// Request is a command and what it may know of where it was typed.
type Request struct {
	// Args are the command line without the program's name.
	Args []string
	// Dir is the working directory, absolute.
	Dir string
	// Env are those variables of the environment that matter, NAME to value. What is not there is
	// not set.
	Env map[string]string
	// Version names the build of the person's program.
	Version string
	// Out and Err are standard output and standard error.
	Out, Err Terminal
}

// Terminal is what is known of an output stream.
type Terminal struct {
	// On says that a person sees at once what is written.
	On bool `json:"on,omitempty"`
	// Columns is the width; 0 where it is not known.
	Columns int `json:"columns,omitempty"`
}

const (
	maxArgs    = 1 << 16
	maxEnv     = 256
	maxColumns = 1 << 16
)

// wire is a Request as it travels. What a person may type need not be UTF-8, so strings travel as
// bytes.
type wire struct {
	Protocol int               `json:"protocol"`
	Args     [][]byte          `json:"args"`
	Dir      []byte            `json:"dir"`
	Env      map[string][]byte `json:"env"`
	Version  string            `json:"version"`
	Out      Terminal          `json:"out"`
	Err      Terminal          `json:"err"`
}

// encode writes a request; it fails where it is larger than another side would take.
func (r *Request) encode() ([]byte, error) {
	w := wire{Protocol: protocol, Dir: []byte(r.Dir), Env: map[string][]byte{}, Version: r.Version, Out: r.Out, Err: r.Err}
	for _, a := range r.Args {
		w.Args = append(w.Args, []byte(a))
	}
	for name, value := range r.Env {
		w.Env[name] = []byte(value)
	}
	body, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	if len(body) > maxRequest || len(r.Args) > maxArgs || len(r.Env) > maxEnv {
		return nil, errors.New("the command line is too long")
	}
	return body, nil
}

// decode reads a request and checks it.
func decode(body []byte) (Request, error) {
	var version struct {
		Protocol int `json:"protocol"`
	}
	if err := json.Unmarshal(body, &version); err != nil {
		return Request{}, fmt.Errorf("the request cannot be read: %w", err)
	}
	if version.Protocol != protocol {
		return Request{}, fmt.Errorf("the request is of version %d, this process knows version %d", version.Protocol, protocol)
	}
	var w wire
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return Request{}, fmt.Errorf("the request cannot be read: %w", err)
	}
	r := Request{Args: make([]string, len(w.Args)), Dir: string(w.Dir), Env: make(map[string]string, len(w.Env)), Version: w.Version, Out: w.Out, Err: w.Err}
	for i, a := range w.Args {
		r.Args[i] = string(a)
	}
	for name, value := range w.Env {
		r.Env[name] = string(value)
	}
	return r, r.check()
}

func (r *Request) check() error {
	switch {
	case len(r.Args) > maxArgs || len(r.Env) > maxEnv:
		return errors.New("the request has too many arguments or variables")
	case !filepath.IsAbs(r.Dir) || strings.ContainsRune(r.Dir, 0):
		return errors.New("the request names no absolute working directory")
	}
	for _, t := range []Terminal{r.Out, r.Err} {
		if t.Columns < 0 || t.Columns > maxColumns {
			return errors.New("the request has a terminal of an impossible width")
		}
	}
	return nil
}
