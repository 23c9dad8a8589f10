package indexer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/contexture-dev/contexture/indexer/history"
)

// gitFiles are the files of a repository whose change says that HEAD moved.
func gitFiles(gitDir, common string) []string {
	return []string{
		filepath.Join(gitDir, "HEAD"), filepath.Join(gitDir, "logs", "HEAD"), filepath.Join(common, "packed-refs"),
	}
}

// historyLoop keeps the ranking of commits at HEAD. It runs beside the writer and starts after the
// first files are searchable.
func (w *writer) historyLoop(ctx context.Context) {
	poke(w.lookBack)
	loaded := "" // the HEAD that was read last
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
		h, err := loadHistory(ctx, w.tree, head, w.db, w.unread)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, history.ErrNoGit):
			w.log.Info("no git command: ranking goes without the history")
		case err != nil:
			w.note(fmt.Sprintf("read git history: %v; ranking goes without it", err))
		default:
			loaded = head
			w.hand(ctx, func() {
				w.history = h
				w.publish()
			})
		}
		w.looked()
	}
}

// looked says that the first look at the history is over, whatever it gave.
func (w *writer) looked() {
	w.status.update(func() { w.status.looked = true })
	w.x.changes.signal()
}
