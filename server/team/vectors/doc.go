// Package vectors shares the rows that model servers make of texts among the machines of a team, so
// that a text is embedded once.
//
// [New] opens a team's [Share]; [Share.Repository] returns the part that an index exchanges rows
// with. A [Transport] carries packs of rows. What it carries says nothing to those without the
// team's key: a row is found by a keyed hash of the model and the text, and is encrypted under a
// key that follows from the team's key, the model and the text. A server thus learns neither texts
// nor vectors, which can be inverted into texts, and a member opens only rows of texts that they
// have.
//
// What a member publishes is trusted as far as its form: it has the team's MAC, the length of a
// vector, and probes like those of this machine's model server. A member, or a server together with
// one, can lend wrong rows of texts that they have; they make search by meaning worse, and can show
// nothing. A server sees when packs are published, how large they are, the repository's id, and
// which packs have rows of the same texts; it can withhold, delay and repeat packs.
//
// Rows are derived data: whatever is lost, damaged or refused is embedded again. Nothing here is on
// the path of an answer.
package vectors
