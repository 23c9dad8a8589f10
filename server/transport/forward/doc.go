// Package forward connects an editor with the daemon and keeps the two together: it passes messages
// on, and when the daemon is gone it finds or starts the next one and brings it to where the editor
// is, so that the editor notices nothing but a pause.
//
// For that it remembers what a new session has to be told ([replay]: initialize, settings, folders,
// the text of open documents), which requests are unanswered, and what the editor still has of the
// session before (registrations, progress that has begun, messages that were shown). It knows no
// more of the protocol than that; what it does not know it passes on.
//
// What holds:
//
//   - Every request of the editor gets one answer. One that was under way when a daemon died is sent again where doing it
//     twice is the same as doing it once, and answered with an error that says so where not ([policy]).
//   - Messages keep their order. What the editor sends during a pause waits, in its pipe above all.
//   - The editor's requests keep their ids; those of the server get new ones, because each session counts from one.
//   - A daemon that says [daemon.Away] is sent nothing more; what is due is waited for, so that nothing is done twice.
//
// The goroutine of [Run] takes the editor's messages and connects; one for each connection takes
// the daemon's. They share what [forwarder].mu guards. Answers are passed on whole, so that a
// daemon that dies inside one leaves no half of it.
package forward
