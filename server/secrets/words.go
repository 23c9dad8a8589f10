package secrets

// words finds every occurrence of a set of ASCII words in one pass over a text, regardless of case:
// an Aho–Corasick automaton with all transitions filled in, so that a byte costs two loads. It is
// immutable once built.
type words struct {
	class  [256]uint8 // a byte's column in next; 0 for a byte that is in no word
	next   []uint16   // state<<wordBits | class → state
	report int        // states from here on end a word
	ends   [][]uint16 // by state-report, the words that end there, the longest first
	size   []int      // a word's length in bytes
}

// wordBits is the width of a column: the words have at most 127 different bytes.
const wordBits = 7

// trie is an automaton under construction.
type trie struct {
	child []map[uint8]int
	fail  []int
	ends  [][]uint16
}

// newWords builds the automaton. The words must be lower case and not empty.
func newWords(list []string) *words {
	w := &words{size: make([]int, len(list))}
	var classes uint8
	t := &trie{child: []map[uint8]int{{}}, fail: []int{0}, ends: [][]uint16{nil}}
	for n, word := range list {
		w.size[n] = len(word)
		at := 0
		for i := range len(word) {
			b := word[i]
			if w.class[b] == 0 {
				classes++
				w.class[b] = classes
			}
			c := w.class[b]
			to, ok := t.child[at][c]
			if !ok {
				to = len(t.child)
				t.child, t.fail, t.ends = append(t.child, map[uint8]int{}), append(t.fail, 0), append(t.ends, nil)
				t.child[at][c] = to
			}
			at = to
		}
		t.ends[at] = append(t.ends[at], uint16(n))
	}
	for b := byte('A'); b <= 'Z'; b++ {
		w.class[b] = w.class[b+'a'-'A']
	}
	w.number(t, t.link())
	return w
}

// link sets the fallback of each state, and returns the states in breadth-first order.
func (t *trie) link() []int {
	order := []int{0}
	for i := 0; i < len(order); i++ {
		at := order[i]
		for c, to := range t.child[at] {
			if at != 0 {
				f := t.fail[at]
				for f != 0 && !t.has(f, c) {
					f = t.fail[f]
				}
				t.fail[to] = t.child[f][c] // the root if there is none
			}
			t.ends[to] = append(t.ends[to], t.ends[t.fail[to]]...)
			order = append(order, to)
		}
	}
	return order
}

func (t *trie) has(state int, c uint8) bool { _, ok := t.child[state][c]; return ok }

// number assigns the states their final numbers, those that end a word last, and fills in every
// transition.
func (w *words) number(t *trie, order []int) {
	final := make([]int, len(order))
	n := 0
	for _, ending := range []bool{false, true} {
		if ending {
			w.report = n
		}
		for _, at := range order {
			if (len(t.ends[at]) > 0) == ending {
				final[at] = n
				n++
				if ending {
					w.ends = append(w.ends, t.ends[at])
				}
			}
		}
	}
	w.next = make([]uint16, n<<wordBits)
	for _, at := range order { // a state's fallback is nearer to the root and therefore already filled in
		row := w.next[final[at]<<wordBits:][:1<<wordBits]
		if at != 0 {
			copy(row, w.next[final[t.fail[at]]<<wordBits:][:1<<wordBits])
		}
		for c, to := range t.child[at] {
			row[c] = uint16(final[to])
		}
	}
}

// each calls yield with the number and position of each word found, in the order of ends.
func (w *words) each(text string, yield func(word, start, end int)) {
	state := 0
	for i := 0; i < len(text); i++ {
		state = int(w.next[state<<wordBits|int(w.class[text[i]])])
		if state < w.report {
			continue
		}
		for _, n := range w.ends[state-w.report] {
			yield(int(n), i+1-w.size[n], i+1)
		}
	}
}

// in reports whether any of the words occurs in text.
func (w *words) in(text string) bool {
	state := 0
	for i := 0; i < len(text); i++ {
		if state = int(w.next[state<<wordBits|int(w.class[text[i]])]); state >= w.report {
			return true
		}
	}
	return false
}
