package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Names in the state directory, see server/transport/daemon.
const (
	runFolder  = "run"
	socketName = "contexture.sock"
)

// checkDaemon looks for the shared process of the state directory, and at who may come near its
// socket.
func (p *patient) checkDaemon(ctx context.Context) {
	const check = "daemon"
	if p.state == "" {
		return
	}
	socket := filepath.Join(p.state, runFolder, socketName)
	if d := p.f.env.daemon; d != nil {
		n := p.f.env.server.Sessions()
		detail := fmt.Sprintf("process %d serves %s", os.Getpid(), counted(n, "session"))
		if own := readVersion().String(); p.f.env.caller != own {
			p.add(check, warning, fmt.Sprintf("%s and is another build: it is %s, this program is %s", detail, own, p.f.env.caller),
				fmt.Sprintf("close its editors, or end it with: kill %d; the next start takes this program", os.Getpid()))
		} else {
			p.add(check, fine, detail, "")
		}
		p.endpoint("unix://"+socket, "the shared daemon, for this user only", "reachable")
		p.checkSocket(socket)
		return
	}
	if p.f.env.dial == nil {
		return
	}
	conn, err := p.f.env.dial(ctx, p.state)
	switch {
	case errors.Is(err, errNoDaemon):
		p.add(check, fine, "none runs; an editor starts one", "")
		p.endpoint("unix://"+socket, "the shared daemon, when one runs", "unreachable")
	case err != nil:
		p.add(check, warning, oneLine(err.Error(), 0), "everything works without one, but an editor may wait for it")
		p.endpoint("unix://"+socket, "the shared daemon", "unreachable")
	default: // it was asked to run this, and did not
		_ = conn.Close() // nothing was said
		p.add(check, warning, "one runs, but it did not run this command", "close its editors and run contexture doctor again")
		p.endpoint("unix://"+socket, "the shared daemon", "reachable")
	}
	p.checkSocket(socket)
}

// checkSocket looks at the modes of the socket and of its folder.
func (p *patient) checkSocket(socket string) {
	const check = "socket"
	if runtime.GOOS == "windows" {
		return
	}
	for _, place := range []struct {
		path string
		mode fs.FileMode
	}{{filepath.Dir(socket), 0o700}, {socket, 0o600}} {
		info, err := os.Lstat(place.path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		where := p.f.tilde(place.path)
		switch {
		case err != nil:
			p.add(check, warning, err.Error(), "")
		case info.Mode().Perm()&^place.mode != 0:
			p.add(check, warning, fmt.Sprintf("%s is open to others (mode %04o)", where, info.Mode().Perm()), fmt.Sprintf("chmod %o %s", place.mode, where))
		case place.mode == 0o600:
			p.add(check, fine, where+" is for this user only", "")
		}
	}
}
