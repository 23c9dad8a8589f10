package subject

import (
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// What follows the prefix of a key; see the package comment.
const (
	keySighting = 's'
	keyMessage  = 't'
	keyCurrent  = 'c'
	keyBefore   = 'b'
)

// parts splits a name at its separators: into the components of a path, or the names of a qualified
// symbol.
func (m Mention) parts() []string {
	if m.Kind == Path {
		return strings.Split(m.Name, "/")
	}
	// Editors write (*Pool).acquire and acquire(): the characters around the names are dropped.
	return strings.FieldsFunc(m.Name, func(c rune) bool { return strings.ContainsRune(".:#->/\\()*& ", c) })
}

// name is a name split into its parts, as stored in keys: pkg.Func and pkg::Func are the same.
type name struct {
	kind  Kind
	parts []string
}

func nameOf(m Mention) name {
	if m.Kind == Name {
		return name{m.Kind, []string{m.Name}}
	}
	parts := m.parts()
	if len(parts) == 0 {
		parts = []string{m.Name}
	}
	return name{m.Kind, parts}
}

func (n name) head() string {
	if n.kind == Name {
		return Fold(n.parts[0])
	}
	return n.parts[len(n.parts)-1]
}
func (n name) joined() string { return strings.Join(n.parts, "/") }

// headPrefix returns the key prefix of the sightings of all names with a given last part.
func headPrefix(ws store.Workspace, kind Kind, head string) []byte {
	key := append(store.Prefix(store.Entities, ws), keySighting, byte(kind))
	return store.AppendString(key, head)
}

// prefix returns the key prefix of the sightings of a name.
func (n name) prefix(ws store.Workspace) []byte {
	return store.AppendString(headPrefix(ws, n.kind, n.head()), n.joined())
}

func sightingKey(ws store.Workspace, m Mention, when time.Time, at Place) []byte {
	key := store.AppendUint64(nameOf(m).prefix(ws), newestFirst(when))
	key = store.AppendUint32(key, at.Conversation)
	key = store.AppendUint32(key, uint32(at.Turn))
	return store.AppendUint32(key, uint32(at.Message))
}

// newestFirst maps a time to a number that is smaller the later the time is; timeOf is its inverse.
func newestFirst(when time.Time) uint64 { return ^(uint64(when.UnixMicro()) ^ 1<<63) }

func timeOf(n uint64) time.Time { return time.UnixMicro(int64(^n ^ 1<<63)).UTC() }

// turnKey identifies a turn within a workspace.
type turnKey struct {
	conversation uint32
	turn         int
}

// takeSighting parses what follows a name's prefix in the key of a sighting.
func takeSighting(rest []byte) (when time.Time, at turnKey, ok bool) {
	n, rest, ok := store.TakeUint64(rest)
	if !ok {
		return time.Time{}, turnKey{}, false
	}
	conv, rest, ok := store.TakeUint32(rest)
	if !ok {
		return time.Time{}, turnKey{}, false
	}
	turn, _, ok := store.TakeUint32(rest)
	return timeOf(n), turnKey{conv, int(turn)}, ok
}

// turnPrefix returns the key prefix of the records of a turn's messages.
func turnPrefix(ws store.Workspace, at turnKey) []byte {
	key := append(store.Prefix(store.Entities, ws), keyMessage)
	return store.AppendUint32(store.AppendUint32(key, at.conversation), uint32(at.turn))
}

func messageKey(ws store.Workspace, at Place) []byte {
	return store.AppendUint32(turnPrefix(ws, turnKey{at.Conversation, at.Turn}), uint32(at.Message))
}

func currentKey(ws store.Workspace, from string) []byte {
	return store.AppendString(append(store.Prefix(store.Entities, ws), keyCurrent), from)
}

// beforePrefix returns the key prefix of the earlier names of a path.
func beforePrefix(ws store.Workspace, to string) []byte {
	return store.AppendString(append(store.Prefix(store.Entities, ws), keyBefore), to)
}
