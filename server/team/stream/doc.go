// Package stream carries a team's facts and packs of vectors between members, over NATS JetStream.
// It treats both as opaque bytes. [Open] returns a [Client] at once and keeps it connected;
// [Client.PutFact] and [Client.PutPack] publish, [Client.Facts] and [Client.Packs] follow what
// others publish, and [Client.Confirm] asks each server whether a fact is safe.
//
// Nothing here is needed for an answer: each call that waits for a server ends with its context,
// and fails with [ErrUnavailable] where there is none.
//
// # Subjects
//
// A fact has the subject facts.REPO.AUTHOR.ID, of which the stream keeps one message: a repeat
// changes nothing, and a tombstone under the same id erases the content. AUTHOR is the public key
// that the server checks. A pack has the subject vectors.MODEL.REPO. Once a message is stored, it
// is announced under stored.…: a fact with its content, of a pack the headers only.
//
// # Following without a consumer
//
// A follower keeps its position itself. It fetches batches with the stream's direct get, which any
// replica answers, and meanwhile takes facts as they are announced. An announcement may be lost, so
// that the position moves by fetches only: once a minute one looks whether anything is missing.
//
// A consumer for each follower would be state that the servers have to keep and replicate for each
// member, and the right to create one includes the right to have messages delivered to any subject,
// past the permissions of the member. A fetch for each announcement cost the servers more than all
// else.
package stream
