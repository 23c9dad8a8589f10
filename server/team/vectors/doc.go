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
// Rows are derived data: whatever is lost, damaged or refused is embedded again. Nothing here is on
// the path of an answer.
package vectors
