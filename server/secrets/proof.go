package secrets

import (
	"slices"
	"strings"
)

// proof is how much the form of a word in a sentence says that it is a secret.
type proof int

const (
	nothing proof = iota
	// weak words are letters with digits or signs, as people choose them, and as they name servers,
	// versions and chapters.
	weak
	// checksum words are hexadecimal or UUIDs: commits, checksums and ids have that form too.
	checksum
	// firm words occur in no prose: they change between letters and digits as random values do.
	firm
)

// link is what joins a value to the noun that announces it.
type link int

const (
	unlinked link = iota
	// adjacent values follow the noun itself.
	adjacent
	// toward values follow a word that also introduces other things: "to", "as".
	toward
	// direct values follow a form of "to be", a colon, or a dash.
	direct
)

// context is what a sentence has said before a word.
type context struct {
	link link
	// digest reports that a commit, a checksum or an id was mentioned.
	digest bool
	// compound reports that another noun follows the one of the secret: a password policy is no
	// password.
	compound bool
}

// copulas are the words after which a value follows, by language.
var copulas = func() map[string]link {
	all := map[string]link{}
	for l, list := range map[link]string{
		direct: "is was are were be been becomes remains equals ist war sind lautet heißt heisst est était sont sera es son era será é são foi è sono " +
			"sarà jest są je jsou är er oli był был это является là adalah namely",
		toward: "to as from now auf als zu von à comme como come til som na jako на",
	} {
		for name := range strings.FieldsSeq(list) {
			all[name] = l
		}
	}
	return all
}()

// linkOf returns the link of a word after gap. before is the link that the previous word makes, and
// first reports that the previous word is the noun.
func linkOf(gap string, before link, first bool) link {
	switch {
	case strings.ContainsAny(gap, ":：=—–→") || strings.Contains(gap, " - "), before == direct:
		return direct
	case first:
		joined := 0
		for _, r := range gap {
			if blankless(r) && r > 0x3020 && r < 0xff00 { // not punctuation
				joined++
			}
		}
		if joined == 1 || joined == 2 || strings.ContainsAny(gap, "\"'`“„«「") {
			return direct // 密码是, or quoted
		}
		return adjacent
	}
	return before
}

// digestNouns are the words for values that are hexadecimal and no secrets.
var digestNouns = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("commit commits revision rev sha sha1 sha256 hash hashes hashed digest checksum fingerprint etag id ids uuid guid primary foreign cache md5") {
		all[name] = true
	}
	return all
}()

// accepts reports whether a word is a value of the noun.
func (n noun) accepts(value string, p proof, seen context) bool {
	if n.vague && seen.link == unlinked {
		return false
	}
	switch p {
	case firm:
		return true
	case checksum:
		return seen.link != unlinked && !seen.digest && !(n.vague && (seen.link == adjacent || isUUID(value)))
	case weak:
		if n.login || n.vague || seen.compound || seen.link < toward {
			return false
		}
		return n.kind == aPassword || seen.link == direct && len(value) >= 8 && changes(value) >= 3
	}
	return false
}

// proofOf returns how much the form of a word says that it is a secret.
func proofOf(value string) proof {
	switch {
	case len(value) < 6 || isTemplate(value) || isPhraseOfProse(value):
		return nothing
	case isUUID(value), len(value) >= 16 && forward(value, 0, len(value), hexBytes) == len(value) && hasDigit(value) && !allDigits(value):
		return checksum
	case strings.ContainsAny(value, "/"):
		if len(value) >= 32 && mixed(value) && gibberish(value) && entropy(value) > 4 && !strings.Contains(value, ".") {
			return firm
		}
		return nothing
	case isFirm(value):
		return firm
	case isPIN(value), strength(value) >= 2 && !technical(value), passphrase(value):
		return weak
	}
	return nothing
}

// isFirm reports whether a word has a form that no prose has.
func isFirm(value string) bool {
	if wordy(value) {
		return false
	}
	n, kinds := changes(value), strength(value)
	return len(value) >= 8 && (kinds >= 3 && n >= 3 || kinds == 4 && n >= 1) ||
		len(value) >= 16 && n >= 3 && tokenLike(value) && entropy(value) > 3.5 ||
		len(value) >= 20 && mixed(value)
}

// wordy reports whether two fifths of a value are in words, as in names of programs.
func wordy(value string) bool {
	words, all := wording(value)
	return 5*words >= 2*all
}

// changes returns how often a word changes between letters and digits without a sign between them.
func changes(value string) (n int) {
	for i := 1; i < len(value); i++ {
		if isAlnum(value[i]) && isAlnum(value[i-1]) && digitBytes[value[i]] != digitBytes[value[i-1]] {
			n++
		}
	}
	return n
}

// isPhraseOfProse reports whether a word with digits or signs is of a kind that sentences contain:
// a number, a version, a quantity, a file, an address, an assignment, a checksum.
func isPhraseOfProse(value string) bool {
	dot := strings.LastIndexByte(value, '.')
	if dot > 0 && slices.ContainsFunc(strings.Split(value, "."), func(part string) bool { return part != "" && identifier(part) }) {
		return true // ed25519.NewKeyFromSeed
	}
	plain := strings.TrimLeft(value, "vV")
	quantity := forward(value, 0, len(value), digitBytes)
	switch {
	case numeric(value) && !isPIN(value), callOrPath(value), strings.IndexByte("#&*@~", value[0]) >= 0, value[0] == '$' && !mixed(value):
		return true
	case forward(plain, 0, len(plain), digitBytes) > 0 && strings.HasPrefix(plain[forward(plain, 0, len(plain), digitBytes):], "."):
		return true // 1.2.3, v1.2
	case quantity > 0 && len(strings.TrimLeft(strings.ToLower(value[quantity:]), "-abcdefghijklmnopqrstuvwxyz")) == 0 && quantity < len(value):
		return !mixed(value) // 32-byte
	case dot > 0 && dot < len(value)-1 && len(value)-dot <= 6 && !hasDigit(value[dot:]):
		return true // auth2.go, bob2@example.com
	case strings.ContainsAny(strings.TrimRight(value, "="), ":="), strings.Contains(value, "@") && dot > strings.LastIndexByte(value, '@'):
		return true
	}
	return isVersionName(plain)
}

// isVersionName reports whether text is a version of the form 1beta2.
func isVersionName(text string) bool {
	n := forward(text, 0, len(text), digitBytes)
	rest := strings.TrimRight(text[n:], digits)
	return n > 0 && n <= 2 && (rest == "alpha" || rest == "beta" || rest == "rc")
}

// isUUID reports whether a word is a UUID.
func isUUID(value string) bool {
	if len(value) != 36 {
		return false
	}
	for i := range len(value) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (value[i] == '-') || !dash && !hexBytes[value[i]] {
			return false
		}
	}
	return true
}

// technical reports whether a word begins with the name of an encoding, a hash, a signature or a
// standard with a number: sha256, base64url, argon2id, RS256.
func technical(value string) bool {
	lower := strings.ToLower(value)
	n := 0
	for n < len(lower) && isLetter(lower[n]) {
		n++
	}
	rest := strings.TrimLeft(lower[n:], "-_")
	return n > 0 && rest != "" && digitBytes[rest[0]] && standards[lower[:n]]
}

// standards are the names of which [technical] speaks.
var standards = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("base sha md utf argon oauth pbkdf hs rs es ps ed x aes rsa p ec ipv crc blake iso rfc tls http bcrypt scrypt curve chacha fips nist pkcs oidc saml kerberos") {
		all[name] = true
	}
	return all
}()

// passphrase reports whether a word is four or more words of four letters or more, joined by signs,
// or letters without a break that are too many for one word.
func passphrase(value string) bool {
	if forward(value, 0, len(value), phraseBytes) != len(value) {
		return false
	}
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) == 1 {
		return len(value) > 24 && strings.ToLower(value) == value
	}
	for _, part := range parts {
		if len(part) < 4 {
			return false
		}
	}
	return len(parts) >= 4
}

// userName reports whether text may be the name of an account.
func userName(text string) bool {
	return text != "" && len(text) <= 32 && forward(text, 0, len(text), nameBytes) == len(text) && isLetter(text[0])
}

// short reports whether a word is as short as articles and prepositions are.
func short(text string) bool {
	return len([]rune(text)) <= 3 || text == "pour" || text == "para" || text == "with"
}

// endsClause reports whether a clause ends at i.
func endsClause(text string, i int) bool {
	if i >= len(text) {
		return true
	}
	rest := strings.TrimLeft(text[i:min(len(text), i+4)], "\"'`*")
	return rest == "" || strings.IndexByte(".,!?;)\r\n", rest[0]) >= 0 || rest[0] >= 0x80 || strings.HasPrefix(rest, " -") || strings.HasPrefix(rest, " (")
}
