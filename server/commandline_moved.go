package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
)

// isGone reports whether no file or folder is at a path. One that cannot be looked at is not gone.
func isGone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// memoryMoved lists the folders whose memory no session can reach, because they were moved or
// removed.
func (a commandRequest) memoryMoved(ctx context.Context, _ *none) (*request.MovedResult, error) {
	m, err := a.server.MemoryHolder.Get(ctx)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	list, err := m.Holding(ctx, isGone)
	return &request.MovedResult{Folders: list}, engine.MemoryError(err)
}

// memoryAdopt gives the session's root what is stored of a folder that was moved to it. What is
// stored of a folder that exists stays with that folder.
func (a commandRequest) memoryAdopt(ctx context.Context, p *request.AdoptParams) (none, error) {
	r, err := a.root()
	if err != nil {
		return none{}, err
	}
	if !isGone(p.Folder) {
		return none{}, fmt.Errorf("%s still exists; what is remembered of it stays its own", p.Folder)
	}
	m, err := a.server.MemoryHolder.Get(ctx)
	if err != nil {
		return none{}, engine.MemoryError(err)
	}
	err = m.Adopt(ctx, a.server.Roots.Home(r.Path), p.Folder)
	if errors.Is(err, memory.ErrUnknownRoot) {
		return none{}, command.NotFound("memory of " + p.Folder)
	}
	return none{}, engine.MemoryError(err)
}
