// Package node runs a server of a team: a NATS server with JetStream, from the folder that
// [enrol.Init] wrote. [Start] returns a running [Node], which also applies changes of the account,
// such as that a member was removed, without a restart.
//
// The server is large. Only the program contexture-team and tests may import this package, so that
// the main program does not contain it.
package node
