package secrets

import "strings"

// prefixedToken is the rule for keys of the general form of services: a short prefix, a sign, and a
// long random text.
const prefixedToken = "prefixed-token"

const (
	maxPrefix = 16 // letters and digits of the prefix
	minRandom = 32 // bytes of the random text: the ids that services publish are shorter
	minSolid  = 16 // bytes of it without a sign
)

// prefixedTokens adds the keys of that form. A run of their bytes is at least minRandom long, so
// that only every minRandom-th byte of the text is looked up.
func (c *scan) prefixedTokens() {
	for i := minRandom - 1; i < len(c.text); {
		if !dashBytes[c.text[i]] {
			i += minRandom
			continue
		}
		run := span{backward(c.text, i, maxToken, dashBytes), forward(c.text, i, maxToken, dashBytes)}
		c.prefixedToken(run)
		i = max(run.end, i+1) + minRandom - 1
	}
}

// prefixedToken adds a run of letters, digits, dashes and underscores if it is such a key.
func (c *scan) prefixedToken(run span) {
	if run.end-run.start < minRandom+2 {
		return
	}
	if run.start > 0 && escape(c.text, run.start) {
		run.start++ // the n of \n
	}
	if run.start > 0 && strings.IndexByte("/+.", c.text[run.start-1]) >= 0 || run.end < len(c.text) && strings.IndexByte("/+=", c.text[run.end]) >= 0 {
		return // part of a path, or of base64
	}
	text := c.text[run.start:run.end]
	head := forward(text, 0, maxPrefix, lowerBytes)
	if head == 0 || head == len(text) || alnumBytes[text[head]] || !isLetter(text[0]) || digest(text[:head+1]) {
		return
	}
	for _, p := range prefixes {
		if strings.HasPrefix(text, p.prefix) && c.s.permits.rules[p.rule] {
			return
		}
	}
	if randomText(text[head+1:]) {
		c.add(prefixedToken, rankExact, run.start, run.end)
	}
}

// randomText reports whether text reads as the random part of a key: long, without words, filler or
// placeholders, and of high entropy.
func randomText(text string) bool {
	if len(text) < minRandom || longestRun(text) < minSolid || isFiller(text) || isTemplate(text) || wordy(text) {
		return false
	}
	return mixed(text) && entropy(text) > 4 || len(text) >= 40 && changes(text) >= 8 && entropy(text) > 4.1
}

// lowerBytes are allowed in a prefix.
var lowerBytes = bytesOf(letters[:26] + digits)

// longestRun returns the length of the longest run of letters and digits.
func longestRun(text string) (n int) {
	for i := 0; i < len(text); {
		end := forward(text, i, len(text), alnumBytes)
		n, i = max(n, end-i), end+1
	}
	return n
}
