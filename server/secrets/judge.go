package secrets

import "strings"

// isTemplate reports whether a value is only a placeholder: a variable, a field to fill in, a row
// of stars.
func isTemplate(value string) bool {
	switch {
	case value == "", strings.HasPrefix(value, markOpen), hasTemplateSign(value), isFieldToFill(value):
		return true
	case isShellVariable(value):
		return !mixed(value[1:])
	}
	return hasPlaceholder(value) || uniform(value)
}

// hasTemplateSign reports whether a value contains an ellipsis or the markers of a template
// language's variables.
func hasTemplateSign(value string) bool {
	for _, sign := range templateSigns {
		if strings.Contains(value, sign) {
			return true
		}
	}
	return false
}

var templateSigns = []string{"${", "{{", "{@", "$(", "<%", "#{", "%(", "@@", "...", "****", "\u2026", "[["}

// isFieldToFill reports whether a value is in brackets or between percent signs, or is a verb of a
// format.
func isFieldToFill(value string) bool {
	last := value[len(value)-1]
	switch value[0] {
	case '<':
		return last == '>'
	case '{':
		return last == '}'
	case '[':
		return last == ']'
	case '%':
		return last == '%' || len(value) == 2
	}
	return false
}

// isShellVariable reports whether a value is a dollar sign and a name, or a dollar sign and one
// digit.
func isShellVariable(value string) bool {
	return len(value) > 1 && value[0] == '$' && (value[1] > '9' || len(value) == 2) &&
		forward(value, 1, len(value), wordBytes) == len(value)
}

// hasPlaceholder reports whether a value contains a word that marks placeholders.
func hasPlaceholder(value string) bool {
	lower := strings.ToLower(value)
	for _, word := range placeholders {
		if strings.Contains(lower, word) && (word != "example" || len(value) < 30) { // AWS' own examples have the form of keys
			return true
		}
	}
	return false
}

// placeholders are the words that people write in place of a secret.
var placeholders = []string{
	"changeme", "change_me", "change-me", "changeit", "replaceme", "replace_me", "replace-me", "replace_with", "replace-with",
	"your_", "your-", "yourpass", "yoursecret", "yourtoken", "yourkey", "yourapi", "youraccess", "my_secret", "placeholder", "xxxx", "insert_", "insert-", "put_your", "enter_", "enter-",
	"example", "todo", "redacted", "dummy", "notasecret", "not-a-secret", "not_a_secret", "goes_here", "goes-here", "-here", "_here",
}

// uniform reports whether a value has at most three different characters, such as a row of stars.
func uniform(value string) bool {
	var seen [256]bool
	n := 0
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			if n++; n > 3 {
				return false
			}
		}
	}
	return true
}

func hasDigit(value string) bool { return strings.ContainsAny(value, digits) }

// mixed reports whether a value has upper case, lower case and digits.
func mixed(value string) bool {
	var upper, lower, digit bool
	for i := range len(value) {
		switch b := value[i]; {
		case b >= 'A' && b <= 'Z':
			upper = true
		case b >= 'a' && b <= 'z':
			lower = true
		case b >= '0' && b <= '9':
			digit = true
		}
	}
	return upper && lower && digit
}

// gibberish reports whether a value does not consist of words: less than two thirds of its letters
// and digits are in runs that are words by [english]. Three letters count as a word only between
// signs, since as many occur in keys by chance.
func gibberish(value string) bool {
	words, all := wording(value)
	return 3*words < 2*all
}

// identifier reports whether a value has the form of names in programs, and at least two fifths of
// it are words.
func identifier(value string) bool {
	return isLetter(value[0]) && wordy(value) && forward(value, 0, len(value), nameBytes) == len(value)
}

// wording returns how many letters of a value are in words, and how many letters and digits it has.
func wording(value string) (words, all int) {
	for i := 0; i < len(value); {
		j := i
		if isAlnum(value[i]) {
			all++
		}
		for j < len(value) && isLetter(value[j]) && (j == i || !(isUpper(value[j]) && !isUpper(value[j-1]))) {
			j++
		}
		apart := (i == 0 || !isAlnum(value[i-1])) && (j == len(value) || !isAlnum(value[j]))
		if (j-i > 3 || apart && j-i == 3) && english(value[i:j]) {
			words += j - i
		}
		all += max(0, j-i-1)
		i = max(j, i+1)
	}
	return words, all
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isUpper(b byte) bool  { return b >= 'A' && b <= 'Z' }
func isAlnum(b byte) bool  { return alnumBytes[b] }

// english reports whether a run of letters may be a word: it has a vowel, and three of four pairs
// of adjacent letters are frequent in English.
func english(word string) bool {
	good := 0
	for i := 1; i < len(word); i++ {
		if frequent[(int(word[i-1]|0x20)-'a')*26+int(word[i]|0x20)-'a'] {
			good++
		}
	}
	return 4*good >= 3*(len(word)-1) && strings.ContainsAny(word, "aeiouyAEIOUY")
}

// frequent are the pairs of letters that make up nine tenths of English text and program names, by
// rank (P. Norvig, "English letter frequency counts", the first 170 of 676 pairs, and pairs
// frequent in program names).
var frequent = func() (out [26 * 26]bool) {
	const pairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic " +
		"ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa " +
		"ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe " +
		"bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr " +
		"cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki " +
		"rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm fl iz ok nl my gl aw " +
		"ju oa eq sy sl ps jo lf nv je nk kn gs dy hy ze ks xt bs ik dd pt xy db ws gt ka ko yp wd sk ov eb"
	for pair := range strings.FieldsSeq(pairs) {
		out[int(pair[0]-'a')*26+int(pair[1]-'a')] = true
	}
	return out
}()
