package watch

import "io/fs"

// addWatch sets the watch of a folder, or counts one more user of it. It reports false if the
// budget or the system's limit is reached, or if the system refuses for another reason: the folder
// is then polled.
func (w *Watcher) addWatch(abs string) bool {
	if w.fs == nil || w.held[abs] == 0 && len(w.held) >= w.limit {
		return false
	}
	err := w.opts.refuse(abs)
	if err == nil {
		err = w.fs.Add(abs)
	}
	if err != nil {
		if exhausted(err) {
			w.limit = len(w.held)
			w.limitErr = "the system's limit of watches is reached (fs.inotify.max_user_watches): the other folders " +
				"are polled; raise it with sysctl"
			w.log.Warn("the system's limit of watches is reached, folders are polled", "watches", len(w.held))
		}
		return false
	}
	w.held[abs]++
	return true
}

// releaseWatch releases one use of a folder's watch.
func (w *Watcher) releaseWatch(abs string) {
	if w.held[abs]--; w.held[abs] > 0 {
		return
	}
	delete(w.held, abs)
	if w.fs != nil {
		_ = w.fs.Remove(abs) // The system drops the watch of a vanished folder itself.
	}
}

// reopen tries again to create the system's watcher.
func (w *Watcher) reopen() {
	if w.openSystem(); w.fs != nil {
		w.setExtras()
	}
}

// stamp is the state by which a change of a polled entry is detected.
type stamp struct {
	id      fileID
	mode    fs.FileMode
	size    int64
	modTime int64 // nanoseconds
}

// stampsOf returns the stamps of a folder's entries. Of a subfolder only the identity counts:
// changes in it are detected by polling it.
func stampsOf(entries []fs.DirEntry) map[string]stamp {
	seen := make(map[string]stamp, len(entries))
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // It vanished after the folder was read.
		}
		seen[e.Name()] = stampOf(info)
	}
	return seen
}

func stampOf(info fs.FileInfo) stamp {
	p := stamp{id: idOf(info), mode: info.Mode()}
	if !info.IsDir() {
		p.size, p.modTime = info.Size(), info.ModTime().UnixNano()
	}
	return p
}
