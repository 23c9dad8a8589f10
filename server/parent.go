package server

import "github.com/contexture-dev/contexture/server/parent"

// watchParent ends the session when the client's process is gone.
func (s *Session) watchParent(pid int) {
	if parent.Gone(s.ctx, pid) {
		s.log.Info("the client's process is gone", "pid", pid)
		s.conn.Stop()
	}
}
