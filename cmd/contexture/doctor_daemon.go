package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// checkDaemon checks the shared process of the state directory, and who may connect to its socket.
func (p *patient) checkDaemon(ctx context.Context) {
	const check = "daemon"
	if p.state == "" {
		return
	}
	if p.f.env.dial == nil {
		return
	}
	address, file := daemon.Address(p.state)
	stream, err := p.f.dial(ctx, p.state, engine.SessionOptions{NoIndex: true})
	if err == nil {
		err = p.askDaemon(ctx, stream)
	}
	switch {
	case errors.Is(err, errNoDaemon):
		p.add(check, fine, "none runs; an editor starts one", "")
		p.endpoint(address, "the shared daemon, when one runs", "unreachable")
	case err != nil:
		p.add(check, warning, oneLine(err.Error(), 0), "everything works without one, but an editor may wait for it")
		p.endpoint(address, "the shared daemon", "unreachable")
	default:
		p.endpoint(address, "the shared daemon, for this user only", "reachable")
	}
	p.checkSocket(file)
}

// askDaemon queries the daemon at the other end of stream about itself.
func (p *patient) askDaemon(ctx context.Context, stream io.ReadWriteCloser) error {
	d, err := askProcess(ctx, stream, "")
	if err != nil {
		p.notes(err)
		return err
	}
	detail := fmt.Sprintf("process %d serves %s", d.PID, counted(d.Sessions, "session"))
	if own := readVersion().String(); d.Build != own {
		p.add("daemon", warning, fmt.Sprintf("%s and is another build: it is %s, this program is %s", detail, d.Build, own),
			fmt.Sprintf("close its editors, or end it with: %s %d; the next start takes this program", daemon.Kill, d.PID))
		return nil
	}
	p.add("daemon", fine, detail, "")
	return nil
}

// askProcess queries the daemon at the other end of stream about itself and about the address at
// which it serves the metrics of a setting. It closes stream.
func askProcess(ctx context.Context, stream io.ReadWriteCloser, metrics string) (*request.ProcessResult, error) {
	session, err := newClient(ctx, stream, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer hangUp(ctx, session)
	return asked[request.ProcessResult](ctx, &client{session: session, shared: true}, request.Process, &request.ProcessParams{Metrics: metrics})
}

// checkSocket checks the modes of the socket and of its folder.
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
		where := p.f.env.tilde(place.path)
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
