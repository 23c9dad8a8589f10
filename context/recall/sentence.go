package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits a text after '.', '!', '?' and '…' before white space, at line ends, and around
// a part in square brackets. The pieces are trimmed and not empty.
func sentences(text string) []string {
	var list []string
	start := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			list = append(list, s)
		}
		start = end
	}
	for i, r := range text {
		size := utf8.RuneLen(r)
		if size < 0 {
			size = 1
		}
		switch r {
		case '\n':
			cut(i)
		case '[':
			if i > 0 && text[i-1] == ' ' {
				cut(i)
			}
		case '.', '!', '?', '…', ']', '。', '！', '？':
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if unicode.IsSpace(next) || r > 0x7F {
				cut(i + size)
			}
		}
	}
	cut(len(text))
	return list
}

// courtesies are the words of greetings, thanks, praise and farewells, with the function words
// between them. A sentence of nothing else has no content.
var courtesies = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		hey hi hello hiya howdy greetings morning evening afternoon dear
		thanks thank thx ty cheers welcome appreciate appreciated appreciation grateful
		wow whoa woah ooh oh ah aw aww haha lol hmm yay woohoo omg gosh man dude
		great good nice cool awesome amazing fantastic wonderful lovely sweet super excellent brilliant incredible
		impressive inspiring beautiful perfect fun neat rad epic
		congrats congratulations kudos bravo well done proud happy glad pleased excited thrilled pumped stoked
		sounds sound looks look seems hear hearing heard see seeing seen talk talking chat chatting catch catching
		meet meeting know knowing
		love like keep going go up on way work job luck care bye goodbye later soon again back wait
		everything anything something things thing stuff all
		how what's whats how's hows what been doing do did been it's its that's thats that this these those it is was
		be being are am were i i'm im i've i'd i'll you you're you've you'd you'll your yours u we we're we'll me my
		to for of the a an and or so such very really truly totally absolutely definitely indeed surely sure quite
		much lot lots too also just always ever never here there with from about at in as by more
		long time no yes yeah yep yup ok okay right exactly course agreed agree
		can can't cant couldn't could would will have has had having got get hope hoping feel feels feeling
		mate buddy friend pal everyone guys folks team
		today day days week lately recently now new news`) {
		set[w] = true
	}
	return set
}()

// isCourtesy reports whether a sentence has no content: it is short and all its words are
// courtesies or names of the speakers.
func isCourtesy(sentence string, names map[string]bool) bool {
	words := 0
	for word := range strings.FieldsFuncSeq(sentence, betweenWords) {
		if words++; words > maxCourtesy {
			return false
		}
		w := strings.ToLower(strings.ReplaceAll(word, "’", "'"))
		if !courtesies[w] && !names[strings.TrimSuffix(w, "'s")] {
			return false
		}
	}
	return true
}

func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
}

// maxCourtesy is the number of words above which a sentence is assumed to have content.
const maxCourtesy = 14
