package indexer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/contexture-dev/contexture/indexer/history"
)

// gitFiles returns the files of a repository whose change indicates that HEAD moved.
func gitFiles(gitDir, common string) []string {
	return []string{
		filepath.Join(gitDir, "HEAD"), filepath.Join(gitDir, "logs", "HEAD"), filepath.Join(common, "packed-refs"),
	}
}

// historyLoop updates the ranking of commits to HEAD. It runs concurrently with the writer and
// starts after the first files are searchable.
func (w *writer) historyLoop(ctx context.Context) {
	poke(w.lookBack)
	loaded := "" // the HEAD of the last reading
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.lookBack:
		}
		err := w.tree.Intact()
		head := ""
		if err == nil {
			head, err = history.Head(ctx, w.tree.Root())
		}
		if err != nil {
			w.log.Debug("read HEAD", "err", err)
		}
		if err != nil || head == "" || head == loaded && w.x.current.Load().history != nil {
			w.looked()
			continue
		}
		h, err := loadHistory(ctx, w.tree, head, w.disk.db, w.disk.unread)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, history.ErrNoGit):
			w.log.Info("no git command: ranking does without the history")
		case err != nil:
			w.status.fault(fmt.Sprintf("read git history: %v; ranking does without it", err))
		default:
			loaded = head
			w.mail.hand(ctx, func() {
				w.history = h
				w.publish()
			})
		}
		w.looked()
	}
}

// looked records that the first reading of the history is over, whatever the result.
func (w *writer) looked() {
	w.status.update(func() { w.status.looked = true })
	w.x.changes.signal()
}
