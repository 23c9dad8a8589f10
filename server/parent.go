package server

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// parentInterval is how often it is looked whether the client is still there.
const parentInterval = time.Second

// watchParent ends the session when the client's process is gone.
func (s *Session) watchParent(pid int) {
	ticker := time.NewTicker(parentInterval)
	defer ticker.Stop()
	for alive(pid) {
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			return
		}
	}
	s.log.Info("the client's process is gone", "pid", pid)
	s.conn.Stop()
}

// alive reports whether a process exists; one of another user does.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
