package profile

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// In scripts without spaces nothing separates a name from adjacent words. A run that recurs in
// several turns, with different neighbours on both sides, is a word.

const (
	leastRunes, mostRunes = 2, 6
	mostMarked            = 12 // the most of scripts whose vowels and tones are marks of their own: Thai and Lao
	minRuns               = 2  // turns in which a word without spaces must recur
	mostPieces            = 1 << 18
	explained             = .8 // the share of a word's turns that contain a longer one from which the longer one is the word
)

// piece is a part of runs.
type piece struct {
	turns, last   int
	before, after map[rune]bool
}

// segment finds the words of scripts without spaces.
func (f *finder) segment() error {
	pieces := map[string]*piece{}
	for _, i := range f.order {
		for k := range f.turns[i].Sentences {
			text := f.turns[i].Sentences[k].Text
			if !strings.ContainsFunc(text, isUnbroken) {
				continue
			}
			for _, t := range tokens(text) {
				if t.shape == unbroken {
					countPieces(pieces, i, text[t.start:t.end])
				}
			}
			if err := f.pause(); err != nil {
				return err
			}
		}
	}
	keys, err := keysOf(f, pieces)
	if err != nil {
		return err
	}
	for _, p := range keys {
		if err := f.pause(); err != nil {
			return err
		}
		at := pieces[p]
		if at.turns < minRuns || !at.free() || at.within(p, pieces) {
			continue
		}
		f.unbroken[p] = true
		f.longest = max(f.longest, len(p))
	}
	return nil
}

func countPieces(pieces map[string]*piece, turn int, run string) {
	runes, most := []rune(run), mostRunes
	if len(runes) > 0 && runes[0] < 0x2E80 {
		most = mostMarked
	}
	for from := range runes {
		for n := leastRunes; n <= most && from+n <= len(runes); n++ {
			key := string(runes[from : from+n])
			p := pieces[key]
			if p == nil {
				if len(pieces) >= mostPieces {
					continue
				}
				p = &piece{last: -1, before: map[rune]bool{}, after: map[rune]bool{}}
				pieces[key] = p
			}
			if p.last != turn {
				p.last = turn
				p.turns++
			}
			before, after := rune(0), rune(0)
			if from > 0 {
				before = runes[from-1]
			}
			if from+n < len(runes) {
				after = runes[from+n]
			}
			p.before[before], p.after[after] = true, true
		}
	}
}

// free reports whether a piece occurs alone, or next to different neighbours on both sides.
func (p *piece) free() bool {
	return (p.before[0] || len(p.before) > 1) && (p.after[0] || len(p.after) > 1)
}

// within reports whether a piece usually occurs inside one longer word.
func (p *piece) within(key string, pieces map[string]*piece) bool {
	for _, r := range slices.Sorted(maps.Keys(p.before)) {
		if long := pieces[string(r)+key]; r != 0 && long != nil && long.free() && float64(long.turns) >= explained*float64(p.turns) {
			return true
		}
	}
	for _, r := range slices.Sorted(maps.Keys(p.after)) {
		if long := pieces[key+string(r)]; r != 0 && long != nil && long.free() && float64(long.turns) >= explained*float64(p.turns) {
			return true
		}
	}
	return false
}

// split splits the runs of scripts without spaces into the words found in them, the longest first.
func (f *finder) split(text string, list []token) []token {
	if !slices.ContainsFunc(list, func(t token) bool { return t.shape == unbroken }) {
		return list
	}
	out := make([]token, 0, len(list))
	for _, t := range list {
		if t.shape != unbroken || f.longest == 0 {
			out = append(out, t)
			continue
		}
		rest := t.start // the part without words
		flush := func(to int) {
			if rest < to {
				out = append(out, token{start: rest, end: to, key: text[rest:to], shape: unbroken, opens: t.opens && rest == t.start})
			}
		}
		for i := t.start; i < t.end; {
			n := f.wordAt(text[i:t.end])
			if n == 0 {
				_, n = utf8.DecodeRuneInString(text[i:])
				i += n
				continue
			}
			flush(i)
			out = append(out, token{start: i, end: i + n, key: text[i : i+n], shape: unbroken, opens: t.opens && i == t.start, breaks: t.breaks && i == t.start})
			i += n
			rest = i
		}
		flush(t.end)
	}
	return out
}

// wordAt returns the length in bytes of the longest word that a run begins with; 0 for none.
func (f *finder) wordAt(run string) int {
	for n := min(f.longest, len(run)); n > 0; n-- {
		if (n == len(run) || utf8.RuneStart(run[n])) && f.unbroken[run[:n]] {
			return n
		}
	}
	return 0
}
