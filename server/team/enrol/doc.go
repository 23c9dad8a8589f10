// Package enrol makes and checks the credentials of a team, without a network. [Init] writes the
// keys of a new team and the configuration of its servers, [Admit] makes the file with which one
// person joins, [Remove] ends that person's access, and [ParseMembership] reads such a file.
//
// There is no password. An operator key vouches for the team's account, the account key for each
// member, and a member proves with an own key who connects. Keys that can admit members never leave
// the folder that Init writes.
//
// The functions read and write files; two of them must not work on one folder at a time, which a
// lock file ensures.
package enrol
