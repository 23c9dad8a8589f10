package secrets

import "strings"

// generic is the library's only rule that does not concern a specific service: a name with a word
// such as key or auth in it, and a value of ten characters or more. Its words occur on almost every
// line of code, so it is parsed by hand here; the effect of its expression, its entropy and its
// lists is the same.
const generic = "generic-api-key"

// maxGeneric is the maximum length of a value, in bytes, that the rule accepts if it has a dash, a
// dot or an underscore.
const maxGeneric = 150

var genericBytes = bytesOf(letters + digits + "_.=-")

// generic applies the rule at the word at start:end.
func (c *scan) generic(r *rule, start, end int) {
	value := assignedValue(c.text, end)
	stop := forward(c.text, value, maxGeneric+1, genericBytes)
	if stop-value > maxGeneric || !c.ends(stop) {
		stop = forward(c.text, value, maxToken, alnumSlashBytes)
		stop = forward(c.text, stop, 3, equalsBytes)
	}
	if stop-value < minAssigned || !c.ends(stop) {
		return
	}
	secret := c.text[value:stop]
	if !unknown(c.text[:value], secret) || strings.Contains(c.text[end:value], ",") && identifier(secret) {
		return // two names in a list
	}
	match := span{backward(c.text, start, maxName, nameBytes), min(len(c.text), stop+1)}
	line := func() string { return lineAround(c.text, match.start, match.end) }
	if c.passes(r, secret, strings.Trim(c.text[match.start:match.end], "\n"), line) {
		c.add(generic, rankGeneric, value, stop)
	}
}

// ends reports whether a value may end at i.
func (c *scan) ends(i int) bool { return i == len(c.text) || enders[c.text[i]] }

// unknown reports whether a value is neither made of words nor a checksum. The library accepts such
// values, and excludes the files that are full of them by name.
func unknown(before, value string) bool {
	if !varied(value) || !gibberish(value) || numeric(value) || digest(before) {
		return false
	}
	return before != "" && strings.IndexByte("\"'`", before[len(before)-1]) >= 0 || !identifier(value)
}

// varied reports whether a value has anything but letters, dots, dashes and underscores: the rule
// lets such values be.
func varied(value string) bool {
	for i := range len(value) {
		if b := value[i]; !isLetter(b) && b != '_' && b != '.' && b != '-' {
			return true
		}
	}
	return false
}

// digest reports whether what stands before a value calls it a checksum, as lock files do. The
// library leaves such files out by their names.
func digest(before string) bool {
	for _, kind := range []string{"h1:", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "md5:"} {
		if strings.HasSuffix(before, kind) {
			return true
		}
	}
	return false
}
