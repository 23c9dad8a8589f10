package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/contexture-dev/contexture/memory/store"
)

// joinLocked moves what is stored under a former path of a root to the root. If nothing is stored
// under the root yet, that is a single rename; otherwise it is done in the background. No caller
// uses the former path any more. The caller must hold mu.
func (m *Memory) joinLocked(ctx context.Context, former, root string) error {
	number, renamed, err := m.store.RenameWorkspace(ctx, former, root)
	if err != nil || renamed || number == 0 {
		return err
	}
	w, err := m.workspaceLocked(ctx, root)
	if err != nil {
		return err
	}
	old := m.workspaceOf(number, former)
	m.joins.Go(func() {
		if err := m.move(m.life, old, w); err != nil {
			m.log.Error("memory of a root stays under its other path", "root", root, "path", former, "err", err)
		}
	})
	return nil
}

// Joined blocks until everything stored under former paths of the requested roots belongs to those
// roots. Error: ctx's.
func (m *Memory) Joined(ctx context.Context) error {
	done := make(chan struct{})
	go func() { // ends with the joins, which Close waits for
		m.joins.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// move adds all data of a workspace to another and then removes it. It stops when ctx ends, and the
// next process starts over.
func (m *Memory) move(ctx context.Context, from, to *Workspace) error {
	if err := m.store.Checkpoint(ctx); err != nil {
		return fmt.Errorf("checkpoint before joining: %w", err)
	}
	in, out := io.Pipe()
	defer context.AfterFunc(ctx, func() { _ = in.CloseWithError(context.Canceled) })()
	var export sync.WaitGroup
	export.Go(func() {
		v := from.View()
		defer v.Close()
		_ = out.CloseWithError(v.Export(out)) // the import sees the error
	})
	_, err := to.Import(in)
	_ = in.CloseWithError(errors.New("the import has ended"))
	export.Wait()
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return from.change(func(tx store.Tx) error { return m.store.RemoveWorkspace(tx.Batch, from.number) })
}
