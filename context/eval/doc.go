// Package eval holds the ranking to goldens: a pinned corpus, queries with the place that answers
// each, and the rank of that place with recall and mean reciprocal rank in a file that a diff
// shows. It has tests only; run them with
// -update after a change that is meant to move a rank, and read the diff.
package eval
