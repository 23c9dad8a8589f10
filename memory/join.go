package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/contexture-dev/contexture/memory/store"
)

// joinLocked lets what is kept under a former path of a root belong to the root. Where nothing is
// kept under the root yet, that is a change of one name; else it is done in the background. Nobody
// works with the former path any more. mu is held.
func (m *Memory) joinLocked(ctx context.Context, former, root string) error {
	number, renamed, err := m.store.RenameWorkspace(ctx, former, root)
	if err != nil || renamed || number == 0 {
		return err
	}
	w, err := m.workspaceLocked(ctx, root)
	if err != nil {
		return err
	}
	old := &Workspace{memory: m, number: number, root: former}
	m.joins.Go(func() {
		if err := m.move(m.life, old, w); err != nil {
			m.log.Error("what is remembered of a root stays under another path of it", "root", root, "path", former, "err", err)
		}
	})
	return nil
}

// Joined waits until what was kept under former paths of the roots asked for has become a part of
// them. Error: ctx's.
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

// move adds all that a workspace has to another and then removes it. It gives up when ctx ends, and
// the next process begins again.
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
		_ = out.CloseWithError(v.Export(out)) // the import hears of it
	})
	_, err := to.Import(in)
	_ = in.CloseWithError(errors.New("the import has ended"))
	export.Wait()
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return from.change(func(tx store.Tx) error { return m.store.RemoveWorkspace(tx.Batch, from.number) })
}
