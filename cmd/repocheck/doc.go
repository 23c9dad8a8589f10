// Package repocheck implements the repository's own rules as code: which package may import which,
// what pure packages may use, which top-level entries exist, and what every file must contain and
// must not contain. Its test runs them on the repository; a second test proves on small trees that
// each of them can fail.
//
// [Load] reads a tree once; each rule is a function from the [Tree] to findings. Everything happens
// in-process: a check that asks another program for the imports would be served from the test cache
// and miss a violation, while the files that a test itself opens are part of its cache key.
//
// To allow an exception, add it to the rule's table with the reason. An exception that is no longer
// needed is a finding too.
package repocheck
