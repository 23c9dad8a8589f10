package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// system holds the watches that the operating system provides, by absolute path, and why it
// provides fewer than wanted. Only one goroutine uses it, except for overflow.
type system struct {
	log    *slog.Logger
	refuse func(dir string) error // see Options
	budget int                    // see Options

	fs       *fsnotify.Watcher // nil if the system provides none
	errors   sync.WaitGroup    // the reader of fs.Errors
	overflow chan struct{}     // capacity 1: events were lost
	held     map[string]int    // folder → number of users of its watch
	limit    int               // of watches; below the budget after the system refused one
	limitErr string            // why the system grants fewer watches than the budget; "" if it does not
}

// newSystem returns a system without any watch; none can be added before open.
func newSystem(opts Options, log *slog.Logger) *system {
	return &system{
		log: log, refuse: opts.refuse, budget: opts.Budget, overflow: make(chan struct{}, 1),
		held: map[string]int{}, limit: max(opts.Budget, 0),
	}
}

// open creates the system's watcher and reports whether the system provides one. A separate
// goroutine reads its errors: fsnotify sends some while holding the lock that Add needs, so one
// goroutine doing both would block forever.
func (s *system) open() bool {
	fs, err := fsnotify.NewBufferedWatcher(eventBuffer)
	if err == nil {
		if err = s.refuse(""); err != nil {
			_ = fs.Close()
		}
	}
	if err != nil {
		s.limitErr = "the system gives no more watchers (fs.inotify.max_user_instances): folders are polled; " +
			"raise the limit with sysctl"
		if !exhausted(err) {
			s.limitErr = "the system gives no watcher, folders are polled: " + err.Error()
		}
		s.log.Warn("watching by polling", "err", err)
		return false
	}
	s.fs, s.limitErr = fs, ""
	s.errors.Go(func() {
		for err := range fs.Errors {
			if errors.Is(err, fsnotify.ErrEventOverflow) || !harmless(err) {
				poke(s.overflow)
			}
		}
	})
	return true
}

// close closes the system's watcher, if it is open, and waits for its goroutines.
func (s *system) close() {
	if s.fs != nil {
		if err := s.fs.Close(); err != nil {
			s.log.Warn("closing the system's watcher", "err", err)
		}
		s.errors.Wait()
		s.fs = nil
	}
}

// add sets the watch of a folder, or counts one more user of it. It reports false if the budget or
// the system's limit is reached, or if the system refuses for another reason: the folder is then
// polled.
func (s *system) add(abs string) bool {
	if s.fs == nil || s.held[abs] == 0 && len(s.held) >= s.limit {
		return false
	}
	err := s.refuse(abs)
	if err == nil {
		err = s.fs.Add(abs)
	}
	if err != nil {
		if exhausted(err) {
			s.limit = len(s.held)
			s.limitErr = "the system's limit of watches is reached (fs.inotify.max_user_watches): the other folders " +
				"are polled; raise it with sysctl"
			s.log.Warn("the system's limit of watches is reached, folders are polled", "watches", len(s.held))
		}
		return false
	}
	s.held[abs]++
	return true
}

// release releases one use of a folder's watch.
func (s *system) release(abs string) {
	if s.held[abs]--; s.held[abs] > 0 {
		return
	}
	delete(s.held, abs)
	if s.fs != nil {
		_ = s.fs.Remove(abs) // The system drops the watch of a vanished folder itself.
	}
}

// problem returns why not every folder has a watch and what to do about it; "" if the system and
// the budget are not the cause.
func (s *system) problem() string {
	if s.limitErr == "" && len(s.held) >= s.limit {
		return fmt.Sprintf("the budget of %d watches is used up: the other folders are polled; "+
			"ignore folders that do not matter, or raise fs.inotify.max_user_watches", s.budget)
	}
	return s.limitErr
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
