package recall

import (
	"bytes"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// tableBlock is a decoded value of the table of messages. It is immutable and contains no text: a
// flag and a length for each message.
type tableBlock struct {
	version []byte
	members []memberBlock
}

// memberBlock holds the messages of one conversation in a block.
type memberBlock struct {
	member uint32
	first  int32   // index in the conversation
	flags  []uint8 // from first on; presentFlag and those of the table
	sizes  []uint8 // lengths, see lengthByte
	count  int     // number of messages present
	units  uint64  // sum of lengths, in lengthUnit
}

// presentFlag marks the messages that are present: the ones between them may have been removed or
// be outside the query.
const presentFlag = 1 << 7

// namedFlag marks, during a search, the messages of an author whom the query names; it is not
// stored in the table.
const namedFlag = 1 << 6

func decodeTable(version, value []byte, block uint32) *tableBlock {
	var low, end [groupSize]int32
	for v := value; len(v) >= postingSize; v = v[postingSize:] {
		p := at(v)
		m, i := p.member(), p.message()
		if end[m] == 0 || i < low[m] {
			low[m] = i
		}
		end[m] = max(end[m], i+1)
	}
	t := &tableBlock{version: bytes.Clone(version)}
	var place [groupSize]int
	for m := range end {
		if n := end[m] - low[m]; n > 0 {
			place[m] = len(t.members)
			t.members = append(t.members, memberBlock{
				member: uint32(m), first: int32(block<<blockBits) + low[m], flags: make([]uint8, n), sizes: make([]uint8, n),
			})
		}
	}
	for v := value; len(v) >= postingSize; v = v[postingSize:] {
		p := at(v)
		m := &t.members[place[p.member()]]
		i := p.message() - low[p.member()]
		m.flags[i], m.sizes[i] = p.weight()|presentFlag, p.length()
		m.count++
		m.units += lengthUnits[p.length()]
	}
	return t
}

// within returns the messages from one index of the conversation up to another.
func (m memberBlock) within(from, to int32) memberBlock {
	end := m.first + int32(len(m.flags))
	if from <= m.first && end <= to {
		return m
	}
	from, to = max(from, m.first), min(to, end)
	if from >= to {
		return memberBlock{member: m.member}
	}
	part := memberBlock{
		member: m.member, first: from, flags: m.flags[from-m.first : to-m.first], sizes: m.sizes[from-m.first : to-m.first],
	}
	for i, f := range part.flags {
		if f&presentFlag != 0 {
			part.count++
			part.units += lengthUnits[part.sizes[i]]
		}
	}
	return part
}

// blockKey identifies a block of a workspace's table.
type blockKey struct {
	ws           store.Workspace
	group, block uint32
}

// keptBlocks is the number of table blocks that are cached decoded. A block usually holds 4,096
// messages or 32 conversations, so the cache covers ten long conversations or thirty thousand short
// ones.
const keptBlocks = 1024

// tableBlock returns a block of the table in the state being read, in which it has that version.
func (s *source) tableBlock(group, block uint32, version []byte) (*tableBlock, error) {
	key := blockKey{s.view.Workspace, group, block}
	if known, ok := s.kept.Get(key); ok && bytes.Equal(known.version, version) {
		return known, nil
	}
	value, _, err := s.view.Get(postingKey(s.view.Workspace, tableTerm, group, block))
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	t := decodeTable(version, value, block)
	s.kept.Add(key, t)
	return t, nil
}

// table holds what was read of the table of messages.
type table struct {
	extents
	blocks []placedBlock // those of a group are adjacent
}

type placedBlock struct {
	group uint32
	*tableBlock
}

func (t *table) add(group uint32, b *tableBlock) {
	t.blocks = append(t.blocks, placedBlock{group, b})
	n := 0
	for _, m := range b.members {
		n += m.count
	}
	t.grow(group, n)
}

// table reads the table of messages. If it is cut, it covers only the newest conversations.
func (s *source) table() (*table, error) {
	if s.scope == nil {
		prefix := termPrefix(s.view.Workspace, versionTerm)
		t, err := s.versions(prefix, store.PrefixEnd(prefix), s.view.Scan)
		if err == nil && t.cut {
			t, err = s.versions(prefix, store.PrefixEnd(prefix), s.view.ScanBack)
		}
		return t, err
	}
	t := &table{}
	for i := range s.scope.groups {
		g := &s.scope.groups[i]
		lower := postingKey(s.view.Workspace, versionTerm, g.group, g.from>>blockBits)
		part, err := s.versions(lower, postingKey(s.view.Workspace, versionTerm, g.group, (g.to-1)>>blockBits+1), s.view.Scan)
		if err != nil {
			return nil, err
		}
		for _, b := range part.blocks {
			cut := &tableBlock{}
			for _, m := range b.members {
				if first := g.first[m.member]; g.n[m.member] > 0 {
					if m = m.within(first, first+g.n[m.member]); m.count > 0 {
						cut.members = append(cut.members, m)
					}
				}
			}
			t.add(g.group, cut)
		}
	}
	return t, nil
}

// versions reads the blocks of the table whose versions lie between two keys, up to the bounds and
// in the order of scan.
func (s *source) versions(lower, upper []byte, scan scan) (*table, error) {
	t := &table{}
	err := scan(lower, upper, func(key, version []byte) (bool, error) {
		if len(key) < 8 {
			return true, nil
		}
		group, rest, _ := store.TakeUint32(key[len(key)-8:])
		block, _, _ := store.TakeUint32(rest)
		full := len(t.blocks) >= s.bounds.values || t.count >= s.bounds.postings
		if full && group != t.blocks[len(t.blocks)-1].group {
			t.cut = true
			return false, nil
		}
		b, err := s.tableBlock(group, block, version)
		if err != nil {
			return false, err
		}
		if len(b.members) > 0 {
			t.add(group, b)
		}
		return true, s.ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return t, nil
}
