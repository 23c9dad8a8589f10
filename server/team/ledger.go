package team

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/server/team/fact"
)

// ledger is what one machine knows of a repository's facts: the facts, which of its own the servers
// hold, and which items of memory they were made of. It is a file of lines to which lines are
// appended. Safe for concurrent use; only one process may have it open, the one that holds the
// memory.
//
// A fact of this machine is on disk before it is sent, so that a crash at any moment loses nothing;
// those of others are sent again by the server.
type ledger struct {
	path string

	mu    sync.Mutex // guards all below
	file  *os.File
	set   *fact.Set
	kept  map[string]bool        // own facts and removals that a majority of the servers holds
	made  map[itemKey]sharedFact // items that were shared
	marks map[itemKey]bool       // items that the person marked to be shared, or not to be
	read  map[string]cursor      // how far the facts were read, by the repository's name at the servers
	waste int                    // bytes of the file that a rewrite would save, at least
	size  int64                  // of the file
	later map[string]bool        // facts that a newer program wrote, for when this one is updated
	count uint64                 // of changes; see generation
	stale bool                   // the file may lack what is known here, or end in a part of a line
	own   func(key string) bool  // whether a public key is this person's
}

// itemKey names an item of memory.
type itemKey struct{ root, item string }

// sharedFact is the fact that an item was shared as.
type sharedFact struct {
	fact string // its id
	text string // a hash of what was shared, so that a change is noticed
}

// line is one line of a ledger's file; one of its fields is set.
type line struct {
	Fact json.RawMessage `json:"fact,omitempty"` // an envelope
	Kept string          `json:"kept,omitempty"` // see outName
	Lost bool            `json:"lost,omitempty"` // the servers lost what they had: none is kept
	Made *madeLine       `json:"made,omitempty"`
	Mark *markLine       `json:"mark,omitempty"`
	Read *readLine       `json:"read,omitempty"`
}

type madeLine struct {
	Root string `json:"root"`
	Item string `json:"item"`
	Fact string `json:"fact,omitempty"` // "" = it is no longer shared
	Text string `json:"text,omitempty"`
}

type markLine struct {
	Root  string `json:"root"`
	Item  string `json:"item"`
	Share *bool  `json:"share"` // nil = no longer marked
}

type readLine struct {
	Repo  string `json:"repo"`
	Epoch int64  `json:"epoch"`
	Seq   uint64 `json:"seq"`
}

// cursor is a position in a stream, see stream.Cursor.
type cursor struct {
	epoch int64
	seq   uint64
}

// rewriteAt is the size from which a ledger's file is written anew when half of it is of no use.
const rewriteAt = 1 << 20

// openLedger opens the ledger of a folder, which it makes. Lines that cannot be read are left out:
// problems says how many. own reports whether a public key is this person's.
func openLedger(dir string, own func(key string) bool) (l *ledger, problems int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, fmt.Errorf("open the facts of a team: %w", err)
	}
	l = &ledger{
		path: filepath.Join(dir, "facts.jsonl"), set: fact.NewSet(), kept: map[string]bool{}, made: map[itemKey]sharedFact{}, marks: map[itemKey]bool{},
		read: map[string]cursor{}, later: map[string]bool{}, own: own,
	}
	data, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("open the facts of a team: %w", err)
	}
	r := bufio.NewReader(bytes.NewReader(data))
	for {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			l.stale = len(text) > 0
			break
		}
		var one line
		if json.Unmarshal(text, &one) != nil || !l.take(&one) {
			problems++
		}
	}
	l.size = int64(len(data))
	if l.stale || problems > 0 {
		err = l.rewrite()
	} else {
		l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err == nil && data == nil {
		err = errors.Join(store.SyncDir(dir), store.SyncDir(filepath.Dir(dir)))
	}
	if err != nil {
		return nil, problems, fmt.Errorf("open the facts of a team: %w", err)
	}
	return l, problems, nil
}

// take applies a line; it reports false for one that says nothing.
func (l *ledger) take(one *line) bool {
	switch {
	case one.Fact != nil:
		o, err := fact.Open(one.Fact)
		switch {
		case errors.Is(err, fact.ErrNewer):
			l.later[string(one.Fact)] = true
		case err != nil:
			return false
		default:
			l.set.Add(o)
		}
	case one.Kept != "":
		l.kept[one.Kept] = true
	case one.Lost:
		clear(l.kept)
	case one.Made != nil:
		at := itemKey{one.Made.Root, one.Made.Item}
		if one.Made.Fact == "" {
			delete(l.made, at)
			break
		}
		l.made[at] = sharedFact{one.Made.Fact, one.Made.Text}
	case one.Mark != nil:
		at := itemKey{one.Mark.Root, one.Mark.Item}
		if one.Mark.Share == nil {
			delete(l.marks, at)
			break
		}
		l.marks[at] = *one.Mark.Share
	case one.Read != nil:
		l.read[one.Read.Repo] = cursor{one.Read.Epoch, one.Read.Seq}
	default:
		return false
	}
	return true
}

// add adds facts, and reports whether there is one among them that was not known. Their bytes are
// on disk when it returns without an error, and synced if one is this person's own.
func (l *ledger) add(facts ...*fact.VerifiedFact) (changed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []line
	own, erased := false, false
	for _, o := range facts {
		had := l.set.Get(o.ID)
		if !l.set.Add(o) {
			continue
		}
		lines = append(lines, line{Fact: o.Sealed})
		own = own || l.own(o.Author)
		if o.Removes != "" && had != nil { // its text must not stay on the disk
			erased = true
		}
	}
	if len(lines) == 0 {
		return false, nil
	}
	l.count++
	if erased {
		return true, l.rewrite()
	}
	return true, l.append(own, lines...)
}

// addLater keeps a fact that a newer program wrote, since it is not sent again.
func (l *ledger) addLater(sealed []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := line{Fact: sealed}
	if l.later[string(sealed)] || !l.take(&one) {
		return nil
	}
	return l.append(false, one)
}

// note appends lines that are no facts. sync makes them survive a crash of the machine.
func (l *ledger) note(sync bool, lines ...line) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range lines {
		l.take(&lines[i])
		if lines[i].Made != nil || lines[i].Mark != nil {
			l.count++
		}
	}
	return l.append(sync, lines...)
}

// append writes lines to the file. mu must be held.
func (l *ledger) append(sync bool, lines ...line) error {
	if l.file == nil || l.stale || l.size > rewriteAt && int64(l.waste) > l.size/2 {
		return l.rewrite() // it has what the lines say
	}
	text, err := encodeLines(lines)
	if err != nil {
		return err
	}
	n, err := l.file.Write(text)
	l.size += int64(n)
	if err == nil && sync {
		err = l.file.Sync()
	}
	if err != nil {
		l.stale = true
		return l.fault(err)
	}
	for _, one := range lines {
		if one.Fact == nil {
			l.waste += len(text) / len(lines)
		}
	}
	return nil
}

// fault returns a failed write as the caller's error.
func (l *ledger) fault(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // its path may be that of a file which is gone
	}
	if store.DiskFull(err) {
		return fmt.Errorf("write %s: %w; what was shared before is safe: make room on the disk and share again", l.path, err)
	}
	return fmt.Errorf("write %s: %w", l.path, err)
}

func encodeLines(lines []line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range lines {
		if err := e.Encode(&lines[i]); err != nil {
			return nil, fmt.Errorf("write the facts of a team: %w", err)
		}
	}
	return b.Bytes(), nil
}

// rewrite replaces the file by one that holds only what is known now. mu must be held, unless
// nobody else has the ledger yet.
func (l *ledger) rewrite() error {
	text, err := encodeLines(l.lines())
	if err != nil {
		return err
	}
	l.stale = true // until it is replaced
	f, err := os.CreateTemp(filepath.Dir(l.path), "facts-*.tmp")
	if err != nil {
		return l.fault(err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		if l.file != nil { // Windows replaces no open file
			err = l.file.Close()
			l.file = nil
		}
		err = errors.Join(err, os.Rename(f.Name(), l.path))
	}
	if err != nil {
		return l.fault(errors.Join(err, os.Remove(f.Name())))
	}
	if l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		l.file = nil
		return l.fault(err)
	}
	if err := store.SyncDir(filepath.Dir(l.path)); err != nil {
		return l.fault(err)
	}
	l.size, l.waste, l.stale = int64(len(text)), 0, false
	return nil
}

// lines returns what the ledger knows, in a fixed order.
func (l *ledger) lines() []line {
	var out []line
	for _, o := range l.set.All() {
		out = append(out, line{Fact: o.Sealed})
		if name := outName(o); l.kept[name] {
			out = append(out, line{Kept: name})
		}
	}
	for _, sealed := range sortedKeys(l.later) {
		out = append(out, line{Fact: json.RawMessage(sealed)})
	}
	for _, at := range sortedItems(l.made) {
		m := l.made[at]
		out = append(out, line{Made: &madeLine{at.root, at.item, m.fact, m.text}})
	}
	for _, at := range sortedItems(l.marks) {
		share := l.marks[at]
		out = append(out, line{Mark: &markLine{at.root, at.item, &share}})
	}
	for _, repo := range sortedKeys(l.read) {
		at := l.read[repo]
		out = append(out, line{Read: &readLine{repo, at.epoch, at.seq}})
	}
	return out
}

func sortedItems[V any](m map[itemKey]V) []itemKey {
	out := make([]itemKey, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b itemKey) int {
		return bytes.Compare([]byte(a.root+"\x00"+a.item), []byte(b.root+"\x00"+b.item))
	})
	return out
}

// outName is the name under which a fact of one's own is kept; a removal has another than what it
// removes, since it must reach the servers too.
func outName(o *fact.VerifiedFact) string {
	if o.Removes != "" {
		return o.ID + "-"
	}
	return o.ID
}

// generation changes whenever facts, items or marks do.
func (l *ledger) generation() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// outbox returns the person's own facts and removals that a majority of the servers does not
// certainly hold. They are on the disk, where possible by writing again what failed: a crash could
// make this machine forget what the servers have.
func (l *ledger) outbox() (out []*fact.VerifiedFact, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stale {
		if err := l.rewrite(); err != nil {
			return nil, err
		}
	}
	return l.undelivered(), nil
}

// waiting returns the number of facts in the outbox.
func (l *ledger) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.undelivered())
}

func (l *ledger) undelivered() (out []*fact.VerifiedFact) {
	for _, o := range l.set.All() {
		if l.own(o.Author) && !l.kept[outName(o)] {
			out = append(out, o)
		}
	}
	return out
}

// position returns how far a repository's facts were read.
func (l *ledger) position(repo string) cursor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read[repo]
}

// madeOf returns what the items of a root were shared as, and the marks of its items.
func (l *ledger) madeOf(root string) (shared map[string]sharedFact, marks map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shared, marks = map[string]sharedFact{}, map[string]bool{}
	for at, m := range l.made {
		if at.root == root {
			shared[at.item] = m
		}
	}
	for at, share := range l.marks {
		if at.root == root {
			marks[at.item] = share
		}
	}
	return shared, marks
}

// counts returns the numbers of facts and of removals.
func (l *ledger) counts() (facts, removals int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set.Len()
}

// takeFrom takes over the facts and items of another ledger.
func (l *ledger) takeFrom(old *ledger) error {
	old.mu.Lock()
	defer old.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range old.lines() {
		if one.Kept == "" && one.Read == nil {
			l.take(&one)
		}
	}
	return l.rewrite()
}

// restart forgets all facts but those to keep, what items were shared as, and how far a team's
// facts were read. The person's marks stay, so that what they share is shared anew.
func (l *ledger) restart(keep func(o *fact.VerifiedFact) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := fact.NewSet()
	for _, o := range l.set.All() {
		if keep(o) {
			set.Add(o)
		}
	}
	l.set = set
	l.count++
	clear(l.kept)
	clear(l.made)
	clear(l.read)
	clear(l.later)
	return l.rewrite()
}

// view calls f with the facts, which must not be kept or changed.
func (l *ledger) view(f func(set *fact.Set)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.set)
}

func (l *ledger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.stale {
		err = l.rewrite()
	}
	if l.file == nil {
		return err
	}
	err = errors.Join(err, l.file.Sync(), l.file.Close())
	l.file = nil
	return err
}
