// Package daemon is the one process of a user and a state directory that all their editors and
// command lines share, and the ways to it: [Serve] is the process, [Dial] finds one that runs,
// [Connect] starts one where none does. What is said over a connection is others' business: a
// session of the Language Server Protocol, or a command line's calls.
//
// They meet in the folder run of the state directory, which is the user's own (mode 0700):
//
//	contexture.sock  the socket, mode 0600
//	daemon.lock      held by the daemon from before its socket is there until all is written; its number is in it
//	start.lock       held while somebody starts a daemon, or has one leave
//
// What holds:
//
//   - There is one daemon: who has not got daemon.lock touches neither the socket nor the stores. A socket that a killed
//     daemon left is replaced by the next one, which has the lock.
//   - A daemon is started only by who holds start.lock and has dialled in vain since. A client that meets a daemon at
//     the moment of its leaving finds the connection closed before it was greeted, and begins anew.
//   - Both sides look whose process is at the other end, and serve or trust nobody but their own user. Where that
//     cannot be told there is no daemon ([ErrUnsupported]).
//   - A command line is served by a daemon whose formats and [Versions].Requests are its own, whichever of the
//     two is the newer build.
//   - Nothing is said before both have said hello, within a size and a time. Builds are ordered ([Build.Compare]): a
//     daemon leaves for a strictly newer one only, so that two of them never fight.
//
// A lock is one of flock(2): it is gone with its holder, whatever ended it. A file that is created
// exclusively was rejected because a killed holder leaves it, and a port on loopback because any
// user may dial it.
package daemon
