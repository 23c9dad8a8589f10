package secrets

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// People name secrets in sentences: "the password for staging is x", "use x as the API key", "das
// Passwort lautet x". A sentence has no operator that separates the value, so the value is judged
// by its form (proof.go), and by what links it to the noun that announces it. The clearer the form,
// the less of a link is required: a value that no prose contains needs only be in the noun's
// sentence.

const (
	sentenceAfter  = 200 // bytes of a sentence that are read after a noun
	sentenceBefore = 100 // and before it
	wordsAfter     = 14  // words after a noun that may be its value
	wordsBefore    = 6
)

// noun is a word that announces a secret in a sentence.
type noun struct {
	span
	kind kind
	// vague nouns have other meanings, as key has, or stand for several values: their value must
	// follow a link.
	vague bool
	// login nouns announce a name and a password: "login with admin / x".
	login bool
}

// nouns are the nouns that are no names of [kindOf], in lower case.
var nouns = func() map[string]noun {
	all := map[string]noun{}
	add := func(n noun, list string) {
		for name := range strings.SplitSeq(list, ",") {
			all[name] = n
		}
	}
	add(noun{kind: aPassword}, "kennwort,mot de passe,contraseña,senha,palavra-passe,wachtwoord,hasło,heslo,lösenord,adgangskode,passord,"+
		"salasana,şifre,parola,jelszó,mật khẩu,пароль,密码,密碼,口令,パスワード,비밀번호")
	add(noun{kind: aSecret}, "geheimnis,secreto,segredo,jeton,токен,令牌,トークン,토큰,密钥,密鑰,秘钥")
	add(noun{kind: aSecret, vague: true}, "key,schlüssel,clé,clave,chave,chiave,sleutel,klucz,klíč,nyckel,avain,anahtar,kulcs,ключ,キー")
	add(noun{kind: aPassword, login: true}, "login,log in,sign in,creds,zugangsdaten,identifiants,логин,ログイン,登录")
	return all
}()

// nounWords returns the words at which a noun may be. The search ignores the case of ASCII letters
// only, so that another initial is left out.
func nounWords() (out []string) {
	for name := range nouns {
		if r, size := utf8.DecodeRuneInString(name); r >= utf8.RuneSelf && unicode.ToUpper(r) != r {
			name = name[size:]
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// sentence matches at a noun that announces a secret, and adds the values in its sentence.
func sentence(c *scan, start, end int) {
	if n, ok := nounAt(c.text, start, end); ok {
		n.valuesAfter(c, n.valuesBefore(c))
	}
}

// nounAt returns the noun around the word at start:end; ok is false if that is part of a program or
// of another word.
func nounAt(text string, start, end int) (n noun, ok bool) {
	if end < len(text) && strings.IndexByte("()=[]\"'", text[end]) >= 0 {
		return n, false // most are names in programs
	}
	at := span{start, end}
	if r, _ := utf8.DecodeRuneInString(text[start:]); !blankless(r) {
		at = nameAround(text, start, end)
	}
	if !isolated(text, at) {
		return n, false
	}
	name := strings.ToLower(text[at.start:at.end])
	if n, ok = nounNamed(name); !ok {
		return n, false
	}
	if n.vague {
		before := strings.TrimRight(text[max(0, at.start-maxName):at.start], " ")
		before = before[backward(before, len(before), maxName, nameBytes):]
		n.vague = kindOf(before+name) == noSecret // API key
	}
	n.span = at
	return n, true
}

// nameAround extends start:end to the letters, digits, dashes and underscores around it.
func nameAround(text string, start, end int) span {
	from, to := max(0, start-maxName), min(len(text), end+maxName)
	left, right := start, end
	for left > from {
		r, size := utf8.DecodeLastRuneInString(text[from:left])
		if !inName(r) {
			break
		}
		left -= size
	}
	for right < to {
		r, size := utf8.DecodeRuneInString(text[right:to])
		if !inName(r) {
			break
		}
		right += size
	}
	if left < start && escape(text, left) {
		left++ // the n of \n
	}
	return span{left, right}
}

// inName reports whether a rune may be part of a name. Scripts without blanks end one.
func inName(r rune) bool {
	return r == '_' || r == '-' || (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && !blankless(r)
}

// blankless reports whether a rune belongs to a script that writes no blanks between words, or
// joins particles to them.
func blankless(r rune) bool { return r >= 0x2e80 && r != utf8.RuneError }

// isolated reports whether what stands beside a name lets it be a word of a sentence, and no name
// of a program.
func isolated(text string, at span) bool {
	if at.start > 0 && strings.IndexByte(`.$/\&@=<{[%#:`, text[at.start-1]) >= 0 && !escape(text, at.start-1) {
		return false
	}
	rest := text[at.end:min(len(text), at.end+3)]
	switch {
	case rest == "" || rest[0] >= utf8.RuneSelf:
		return true
	case rest[0] == '.':
		return len(rest) == 1 || !isLetter(rest[1])
	case rest[0] == ' ' && len(rest) > 1:
		return rest[1] != '=' && rest != " :=" && strings.IndexByte("+&<>)}", rest[1]) < 0
	}
	return strings.IndexByte(" \t\r\n:,`*", rest[0]) >= 0
}

// nounNamed returns the noun with a name in lower case: a name of a secret, one of the nouns, its
// plural, an inflected form, or a compound that ends with it.
func nounNamed(name string) (n noun, ok bool) {
	if n, ok = nouns[name]; ok {
		return n, true
	}
	if k := kindOf(name); k == aPassword || k == aSecret {
		return noun{kind: k, vague: name == "secrets", login: strings.HasPrefix(name, "credential")}, name != "pass"
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		return nounNamed(name[i+1:]) // API-Schlüssel
	}
	if single, plural := strings.CutSuffix(name, "s"); plural {
		n, ok = nounNamed(single)
		n.vague = true
		return n, ok
	}
	if r, size := utf8.DecodeLastRuneInString(name); len(name) > 6 && r >= 0x400 && !blankless(r) {
		for other, n := range nouns { // пароля
			if stem, ok := strings.CutSuffix(other, "ь"); ok && stem == name[:len(name)-size] || name[:len(name)-size] == other {
				return n, true
			}
		}
	}
	return n, false
}

// word is a word of a sentence, without the punctuation around it.
type word struct {
	span
	gap  string // what stands between the word before and this one
	last bool   // the sentence ends behind it
}

// stops end what can be a sentence.
const stops = "{}[]<>;|。！？"

// nextWord returns the first word in text[from:limit]; ok is false if the sentence ends before it.
// A sentence goes on after a line that ends in a colon, or, if linked is true, in any way.
func nextWord(text string, from, limit int, linked bool) (w word, ok bool) {
	i := from
	for i < limit {
		r, size := utf8.DecodeRuneInString(text[i:limit])
		switch {
		case strings.ContainsRune(stops, r), i > 0 && (r == '(' && wordBytes[text[i-1]] || r == ':' && strings.IndexByte("\"'", text[i-1]) >= 0), r == '\\':
			return w, false // also a call, a member of an object, an escape
		case r == '\n' && !linked && !strings.ContainsAny(text[from:i], ":："):
			return w, false
		}
		if startsWord(r) {
			break
		}
		i += size
	}
	w.gap, w.start = text[from:i], i
	for i < limit {
		r, size := utf8.DecodeRuneInString(text[i:limit])
		if r < utf8.RuneSelf && !proseBytes[byte(r)] || r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsMark(r) || blankless(r) {
			break
		}
		i += size
	}
	w.end = w.start + len(strings.TrimRight(text[w.start:i], ".:!?*,_~-"))
	w.last = i > w.end && strings.IndexByte(".!?", text[w.end]) >= 0
	return w, w.end > w.start
}

// startsWord reports whether a word may begin with r.
func startsWord(r rune) bool {
	if r >= utf8.RuneSelf {
		return unicode.IsLetter(r) && !blankless(r)
	}
	return isAlnum(byte(r)) || strings.IndexByte("!@#$%^&+~", byte(r)) >= 0
}

// proseBytes are the ASCII bytes of a word in a sentence.
var proseBytes = bytesOf(letters + digits + "_-./+=~|%:@!#$^&*?")

// valuesAfter adds the values that follow the noun in its sentence.
func (n noun) valuesAfter(c *scan, seen context) {
	limit := min(len(c.text), n.end+sentenceAfter)
	at := n.end
	for count := range wordsAfter {
		w, ok := nextWord(c.text, at, limit, seen.link != unlinked)
		if !ok {
			return
		}
		value := c.text[w.start:w.end]
		seen.link = linkOf(w.gap, seen.link, count == 0)
		if seen.link == toward && !endsClause(c.text, w.end) {
			seen.link = adjacent
		}
		n.value(c, w, seen)
		lower := strings.ToLower(value)
		seen.digest = seen.digest || digestNouns[lower]
		if count == 0 {
			seen.compound = !strings.ContainsAny(w.gap, "(:") && !short(value) && copulas[lower] == unlinked
		}
		seen.link = copulas[lower]
		if at = w.end; w.last {
			return
		}
	}
}

// valuesBefore adds the values that precede the noun, as in "x is the password" and "use x as API
// key", and returns what the sentence has said up to it.
func (n noun) valuesBefore(c *scan) (said context) {
	from := max(0, n.start-sentenceBefore)
	if i := strings.LastIndexAny(c.text[from:n.start], "\n"+stops); i >= 0 {
		from += i
		_, size := utf8.DecodeRuneInString(c.text[from:])
		from += size
	}
	var list []word
	var seen context
	for at := from; at < n.start; {
		w, ok := nextWord(c.text, at, n.start, false)
		if !ok {
			if strings.ContainsAny(c.text[at:n.start], letters) {
				list = nil // what stands between is no sentence
			}
			break
		}
		if list, at = append(list, w), w.end; w.last {
			list = nil
		}
		seen.digest = seen.digest || digestNouns[strings.ToLower(c.text[w.start:w.end])]
	}
	list = list[max(0, len(list)-wordsBefore):]
	next, ok := nextWord(c.text, n.end, min(len(c.text), n.end+16), false)
	seen.compound = ok && !endsClause(c.text, n.end) && !short(c.text[next.start:next.end])
	for i, w := range list {
		seen.link = unlinked
		if i+1 < len(list) && copulas[strings.ToLower(c.text[list[i+1].start:list[i+1].end])] != unlinked {
			seen.link = direct
		}
		n.value(c, w, seen)
	}
	return context{digest: seen.digest}
}

// value adds a word of the noun's sentence if it is a value of the noun.
func (n noun) value(c *scan, w word, seen context) {
	rule := assignedSecret
	if n.kind == aPassword {
		rule = assignedPassword
	}
	value := c.text[w.start:w.end]
	if n.login {
		password := value[strings.IndexAny(value, "/:")+1:]
		paired := len(password) < len(value) && userName(value[:len(value)-len(password)-1]) || strings.TrimSpace(w.gap) == "/"
		if paired && proofOf(password) >= weak {
			c.add(assignedPassword, rankGeneric, w.end-len(password), w.end)
			return
		}
	}
	if n.accepts(value, proofOf(value), seen) {
		c.add(rule, rankGeneric, w.start, w.end)
	}
}
