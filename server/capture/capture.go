// Package capture reads the conversations that assistants' hosts keep in logs of their own: Claude
// Code's, Codex's and those of the other [Sources].
//
// Each source has one file with a pure parser, which turns bytes into messages and never fails: it
// counts and names what it cannot read. A [Follower] owns the state: it reads only sources to which
// the person has consented, remembers how far it has read each log, and passes new messages to a
// [Store]. The package does not depend on the memory.
package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Names of the sources. They are part of conversation ids and of the state directory's format.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	OpenCode   = "opencode"
	Gemini     = "gemini"
	Cline      = "cline"
	Roo        = "roo"
	Continue   = "continue"
	Aider      = "aider"
	SpecStory  = "specstory"
	VSCode     = "vscode"
	Cursor     = "cursor"
)

// Sources returns the names of all sources, in the order in which they are displayed.
func Sources() []string {
	return []string{ClaudeCode, Codex, OpenCode, Gemini, Cline, Roo, Continue, Aider, SpecStory, VSCode, Cursor}
}

// IsSource reports whether a name is one of Sources.
func IsSource(name string) bool { return slices.Contains(Sources(), name) }

// maxIDRunes is the contract's limit on a conversation's id.
const maxIDRunes = 200

// ConversationID returns the id under which memory stores a session of a source:
// "<source>/<session>". If the name of a session does not fit into an id of the contract, 1–200
// printable characters, a hash of it takes its place. Equal arguments return equal ids, and
// different sessions different ones.
func ConversationID(source, session string) string {
	id := source + "/" + session
	if session != "" && utf8.RuneCountInString(id) <= maxIDRunes && printable(session) {
		return id
	}
	sum := sha256.Sum256([]byte(session))
	return source + "/sha256-" + hex.EncodeToString(sum[:])
}

// printable reports whether a text has only characters that the contract allows in an id.
func printable(text string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}
