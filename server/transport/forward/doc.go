// Package forward connects an editor with the daemon and keeps them connected: it passes messages
// on, and when the daemon has ended it finds or starts the next one and restores the editor's
// session there, so that the editor notices only a pause.
//
// For that it records the messages that a new session needs ([replay]: initialize, settings,
// folders, the text of open documents), the unanswered requests, and the state that the editor has
// from earlier sessions (registrations, progress that has begun, messages that were shown). It
// passes on all other messages without interpreting them.
//
// Invariants:
//
//   - Every request of the editor gets one answer. A request that was in progress when a daemon
//     died is sent again if it is idempotent, and otherwise answered with an error that says so
//     ([policy]).
//   - Messages keep their order. The editor's messages during a pause wait, mostly in its pipe.
//   - The editor's requests keep their ids; those of the server get new ones, because each session
//     counts from one.
//   - No message is sent to a daemon after its [daemon.Away]; the pending answers are awaited, so
//     that no request is executed twice.
//
// The goroutine of [Run] reads the editor's messages and connects; one goroutine for each
// connection reads the daemon's. They share the fields guarded by [forwarder].mu. Answers are
// passed on whole, so that a daemon that dies while sending one leaves no partial answer.
package forward
