package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
)

// A hyperlink of a terminal (OSC 8) is its text between linkBegin with an address and linkEnd, and
// linkBegin without an address and linkEnd. Terminals that do not know it show the text alone.
const (
	linkBegin = "\x1b]8;;"
	linkEnd   = "\x1b\\"
)

var linkMarks = regexp.MustCompile(`\x1b\]8;;[^\x1b]*\x1b\\`)

// unlinked returns text without its hyperlinks.
func unlinked(text string) string { return linkMarks.ReplaceAllString(text, "") }

// link returns text, which is for standard output, as a hyperlink to a line of a file, from 0. It
// returns text unchanged where there are no colours, where uri is no file's, and on the console of
// Linux, which may print the address. Of the terminals only kitty reads a line from the address;
// others might look for a file of that name.
func (e *environment) link(uri string, line int, text string) string {
	path, ok := transport.FilePath(uri)
	if !ok || !e.outPalette().on || e.getenv("TERM") == "linux" {
		return text
	}
	address := strings.Replace(transport.FileURI(path), "file:///", "file://"+e.host+"/", 1)
	if e.getenv("TERM") == "xterm-kitty" {
		address += fmt.Sprintf("#%d", line+1)
	}
	return linkBegin + address + linkEnd + text + linkBegin + linkEnd
}

// lineOf returns the first line of a range, from 0.
func lineOf(r *command.Range) int {
	if r == nil {
		return 0
	}
	return r.Start.Line
}
