// Package daemon provides the one process of a user and a state directory that serves all their
// editors and command lines: [Serve] runs the process, [Dial] connects to one that runs, and
// [Connect] starts one if none does. The package does not interpret the messages of a connection:
// they are a session of the Language Server Protocol, or a command line's calls.
//
// The processes use the folder run of the state directory, which is private to the user (mode
// 0700):
//
//	contexture.sock  the socket, mode 0600
//	daemon.lock      held by the daemon from before its socket is there until all is written; its number is in it
//	start.lock       held while somebody starts a daemon, or has one leave
//
// On Windows a named pipe replaces the socket: contexture.pipe contains its name, which is random,
// and the pipe's access list admits this user alone. Sockets of the family "unix" were rejected
// there because not every Windows has them, and because they have no access list of their own.
//
// Invariants:
//
//   - There is one daemon: a process that does not hold daemon.lock accesses neither the socket nor
//     the stores. The next daemon, which holds the lock, replaces a socket that a killed one left
//     behind.
//   - A daemon is started only by a process that holds start.lock and has dialled in vain since. A
//     client that meets a daemon that is leaving finds the connection closed before it was greeted,
//     and retries.
//   - Both sides check the user of the process at the other end, and serve or trust only their own.
//     Where the system cannot report that user there is no daemon ([ErrUnsupported]).
//   - A command line is served by a daemon with the same formats and [Versions].Requests, whichever
//     of the two is the newer build.
//   - No message is sent before both sides have sent hello, within limits of size and time. Builds
//     are ordered ([Build.Compare]): a daemon leaves for a strictly newer one only, so that two of
//     them never replace each other in turn.
//
// A lock is one of flock(2): it is released when its holder ends, whatever the cause. A file that
// is created exclusively was rejected because a killed holder leaves it behind, and a port on
// loopback because any user may connect to it.
package daemon
