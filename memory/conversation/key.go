package conversation

import (
	"math"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/contexture-dev/contexture/memory/store"
)

// The kinds of keys: the byte after the workspace's prefix. They are part of the format on disk; n,
// m, t … are big-endian numbers.
const (
	kindCounter  = 'n' //                     → the last conversation number given
	kindID       = 'i' // conversation id     → n
	kindInfo     = 'c' // n                   → Info without sessions
	kindSessions = 's' // n                   → indexes of first messages, each four bytes; grows by merging
	kindSharer   = 'k' // n, fork's n         → the ends of what the fork shares: last turn, index after the last message
	kindLatest   = 'l' // time, n             → nothing: conversations by their latest message
	kindMessage  = 'm' // n, index            → message
	kindTurn     = 't' // n, turn             → mark: where the turn begins and the state before it
	kindVersions = 'v' // n, turn             → Versions without sizes
	kindSizes    = 'z' // n, block of turns   → sizes; grows by merging
	kindWeights  = 'w' // n, index            → weights of a turn's messages, from its first one's index on
	kindGiven    = 'd' // n, message id       → index of the message
	kindPending  = 'p' // n, turn, messages   → generation: the turn waits for its versions

	// Models' results:
	kindWritten    = 'o' // n, turn             → Written
	kindUnwritten  = 'u' // n, turn             → messages, content: a model may make versions of the turn
	kindAnswered   = 'a' // Written.By          → n, turn that has it
	kindArc        = 'y' // n                   → the caller's record of the conversation as a whole
	kindPendingArc = 'f' // n                   → nothing: the conversation has changed since
	kindSummary    = 'r' // n, hash of SummaryOf → text
)

func key(ws store.Workspace, kind byte) []byte {
	return append(store.Prefix(store.Conversations, ws), kind)
}

func keyOf(ws store.Workspace, kind byte, n Number) []byte {
	return store.AppendUint32(key(ws, kind), uint32(n))
}

func keyAt(ws store.Workspace, kind byte, n Number, at int) []byte {
	return store.AppendUint32(keyOf(ws, kind, n), uint32(at))
}

func keyCounter(ws store.Workspace) []byte              { return key(ws, kindCounter) }
func keyID(ws store.Workspace, id string) []byte        { return store.AppendString(key(ws, kindID), id) }
func keyInfo(ws store.Workspace, n Number) []byte       { return keyOf(ws, kindInfo, n) }
func keySessions(ws store.Workspace, n Number) []byte   { return keyOf(ws, kindSessions, n) }
func keySharer(ws store.Workspace, n, by Number) []byte { return keyAt(ws, kindSharer, n, int(by)) }

func keyMessage(ws store.Workspace, n Number, index int) []byte {
	return keyAt(ws, kindMessage, n, index)
}
func keyTurn(ws store.Workspace, n Number, turn int) []byte { return keyAt(ws, kindTurn, n, turn) }
func keyVersions(ws store.Workspace, n Number, turn int) []byte {
	return keyAt(ws, kindVersions, n, turn)
}

func keyWritten(ws store.Workspace, n Number, turn int) []byte {
	return keyAt(ws, kindWritten, n, turn)
}

func keyUnwritten(ws store.Workspace, n Number, turn int) []byte {
	return keyAt(ws, kindUnwritten, n, turn)
}

func keyAnswered(ws store.Workspace, by Sum) []byte     { return append(key(ws, kindAnswered), by[:]...) }
func keyArc(ws store.Workspace, n Number) []byte        { return keyOf(ws, kindArc, n) }
func keyPendingArc(ws store.Workspace, n Number) []byte { return keyOf(ws, kindPendingArc, n) }

func keyWeights(ws store.Workspace, n Number, first int) []byte {
	return keyAt(ws, kindWeights, n, first)
}

func keySizes(ws store.Workspace, n Number, turn int) []byte {
	return keyAt(ws, kindSizes, n, turn/sizesBlock)
}

func keyPending(ws store.Workspace, n Number, turn, messages int) []byte {
	return store.AppendUint32(keyAt(ws, kindPending, n, turn), uint32(messages))
}

// IsListed reports whether a key of the store holds a listing of a conversation: every change of
// its messages changes that too.
func IsListed(key []byte) bool {
	return len(key) > prefixSize && key[0] == byte(store.Conversations) && key[prefixSize] == kindInfo
}

// prefixSize is the length of the result of store.Prefix.
const prefixSize = 5

// longID is the length in bytes from which a message id is replaced with its hash in its key, so
// that keys stay short.
const longID = 200

func keyGiven(ws store.Workspace, n Number, id string) []byte {
	if len(id) < longID {
		return store.AppendString(keyOf(ws, kindGiven, n), id)
	}
	sum := xxh3.HashString128(id).Bytes()
	return store.AppendString(append(keyOf(ws, kindGiven, n), 0), string(sum[:])) // no id is empty: none begins with 0
}

// latestSize is the length of a kindLatest key after the kind.
const latestSize = 8 + 4 + 4

// keyLatest sorts by time, then by number.
func keyLatest(ws store.Workspace, at time.Time, n Number) []byte {
	k := store.AppendUint64(key(ws, kindLatest), uint64(at.Unix())^1<<63) // so that years before 1970 come first
	k = store.AppendUint32(k, uint32(at.Nanosecond()))
	return store.AppendUint32(k, uint32(n))
}

// maxCount is how many messages and turns a conversation can have: their numbers take four bytes.
const maxCount = math.MaxUint32 - 1

// lastUint32 decodes the number at the end of a key.
func lastUint32(key []byte) uint32 {
	if len(key) < 4 {
		return 0
	}
	n, _, _ := store.TakeUint32(key[len(key)-4:])
	return n
}
