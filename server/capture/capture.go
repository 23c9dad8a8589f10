// Package capture reads the conversations that assistants' hosts keep in logs of their own: Claude
// Code's, Codex's and those of the other [Sources].
//
// Each source has one file with a pure parser, which turns bytes into messages and never fails:
// what it cannot read it counts and names. A [Follower] owns the state: it looks only where the
// person has consented, remembers for each log how far it was read, and hands new messages to
// whoever stores them. Nothing here knows the memory.
package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Names of the sources. They are part of conversations' ids and of the state directory's format.
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

// Sources returns the names of all sources, in the order in which they are listed to people.
func Sources() []string {
	return []string{ClaudeCode, Codex, OpenCode, Gemini, Cline, Roo, Continue, Aider, SpecStory, VSCode, Cursor}
}

// IsSource reports whether a name is one of Sources.
func IsSource(name string) bool { return slices.Contains(Sources(), name) }

// maxIDRunes is the contract's limit of a conversation's id.
const maxIDRunes = 200

// ConversationID returns the id under which memory keeps a session of a source:
// "<source>/<session>". A session whose name does not fit an id of the contract, 1–200 printable
// characters, is named by a hash of it. Equal arguments give equal ids, and different sessions
// different ones.
func ConversationID(source, session string) string {
	id := source + "/" + session
	if session != "" && utf8.RuneCountInString(id) <= maxIDRunes && printable(session) {
		return id
	}
	sum := sha256.Sum256([]byte(session))
	return source + "/sha256-" + hex.EncodeToString(sum[:])
}

// printable reports whether a text consists of what the contract admits in an id.
func printable(text string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}
