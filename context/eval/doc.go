// Package eval compares the ranking with goldens: a pinned corpus, queries with the location that
// answers each, and the rank of that location, with recall and mean reciprocal rank, in a file
// whose diff shows every change. It contains only tests; run them with -update after a change that
// is meant to move a rank, and read the diff.
package eval
