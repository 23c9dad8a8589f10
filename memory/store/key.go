package store

import (
	"encoding/binary"
	"strings"
)

// Workspace is a workspace's number, assigned by the registry (Store.Workspace) and never reused
// after the workspace was removed; 0 stands for no workspace.
type Workspace uint32

// Space is the first byte of every key; it identifies the owner of the data.
type Space byte

// The spaces. Their numbers are part of the format on disk.
const (
	Meta          Space = 1 // the store's own: format, registry of workspaces
	Conversations Space = 2
	Recall        Space = 3
	Knowledge     Space = 4
	Work          Space = 5
	Board         Space = 6
	Cabinet       Space = 7
	Usage         Space = 8
	Entities      Space = 9
	Deleted       Space = 10 // hashes of ids that were deleted
	Failures      Space = 11 // of commands
)

const lastSpace = Failures

// Prefix returns the first five bytes of every key: the space and the workspace, big-endian. The
// caller may append.
func Prefix(space Space, ws Workspace) []byte {
	key := make([]byte, 0, 48)
	return binary.BigEndian.AppendUint32(append(key, byte(space)), uint32(ws))
}

// AppendUint32 appends a number so that keys sort by it.
func AppendUint32(key []byte, n uint32) []byte { return binary.BigEndian.AppendUint32(key, n) }

// AppendUint64 appends a number so that keys sort by it.
func AppendUint64(key []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(key, n) }

// AppendString appends a string so that keys sort by its bytes and more may follow: it ends with a
// 0 byte, and the bytes 0 and 1 in it become 1 1 and 1 2.
func AppendString(key []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= 1 {
			key = append(key, 1, c+1)
		} else {
			key = append(key, c)
		}
	}
	return append(key, 0)
}

// TakeUint32 decodes what AppendUint32 wrote and returns the rest of the key; ok is false for a key
// that is too short.
func TakeUint32(key []byte) (n uint32, rest []byte, ok bool) {
	if len(key) < 4 {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(key), key[4:], true
}

// TakeUint64 decodes what AppendUint64 wrote and returns the rest of the key; ok is false for a key
// that is too short.
func TakeUint64(key []byte) (n uint64, rest []byte, ok bool) {
	if len(key) < 8 {
		return 0, nil, false
	}
	return binary.BigEndian.Uint64(key), key[8:], true
}

// TakeString decodes what AppendString wrote and returns the rest of the key; ok is false for bytes
// that it never writes.
func TakeString(key []byte) (s string, rest []byte, ok bool) {
	var b strings.Builder
	for i := 0; i < len(key); i++ {
		switch c := key[i]; c {
		case 0:
			return b.String(), key[i+1:], true
		case 1:
			if i++; i >= len(key) || key[i] < 1 || key[i] > 2 {
				return "", nil, false
			}
			b.WriteByte(key[i] - 1)
		default:
			b.WriteByte(c)
		}
	}
	return "", nil, false
}

// PrefixEnd returns the smallest key above all keys that begin with prefix, as Scan's upper bound;
// nil when there is none (a prefix of only 0xff bytes), which Scan treats as no bound.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}
