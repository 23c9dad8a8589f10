package secrets

import "strings"

// convinces reports whether a value is the secret that its name announces. The required evidence
// depends on the form of the assignment: program text is full of names that end in key or token and
// are assigned other names, numbers and calls.
//
// The entropy thresholds are the library's: 3.5 bits per character for values about which nothing
// is known but a name such as key (its generic rule), 3 for most of its rules on tokens.
func (a assignedTo) convinces(value string) bool {
	if len(value) < 6 || isTemplate(value) || joined(value) || a.form != quoted && program(value) {
		return false
	}
	switch a.kind {
	case anAuth:
		return userAndPassword(value) || !a.inProgram() && len(value) >= 20 && tokenLike(value) && entropy(value) > 3.5
	case aPassword:
		return a.password(value)
	}
	return a.given() && (isStrong(value) || len(value) >= 12 && numbered(value) && !a.named(value)) || a.token(value)
}

// isStrong reports whether a value has characters of all kinds, as generated passwords have.
func isStrong(value string) bool {
	return len(value) >= 8 && strength(value) == 4 && !strings.ContainsAny(value, " \t()[]{}<>")
}

// token reports whether a value is a key or a token, judged by its characters. In a program's
// expression it must not be mistakable for a name.
func (a assignedTo) token(value string) bool {
	if len(value) < 8 || !tokenLike(value) {
		return false
	}
	if a.inProgram() {
		return !identifier(value) && len(value) >= 16 && entropy(value) > 3.5 && mixed(value)
	}
	return entropy(value) > 2.5
}

// inProgram reports whether a value is an expression or an argument.
func (a assignedTo) inProgram() bool { return a.form == expression || a.form == argument }

// password reports whether a value is a password. People choose words, so words with a digit or a
// sign are enough in a string or a setting; without either, the value may be any text that a
// program displays or compares.
func (a assignedTo) password(value string) bool {
	if strings.ContainsAny(value, " \t") && a.form != quoted {
		return false
	}
	switch a.form {
	case expression, argument:
		return len(value) >= 8 && tokenLike(value) && !callOrPath(value) && !identifier(value) && strength(value) >= 3
	case setting:
		return !callOrPath(value) && (strength(value) >= 2 || isPIN(value) || a.loud() && phrase(value))
	}
	return !strings.ContainsAny(value, " \t") && (strength(value) >= 2 || isPIN(value))
}

// joined reports whether a value is only part of one: the text between two strings that a program
// concatenates, or the option to which a string is appended.
func joined(value string) bool {
	if name, ok := strings.CutSuffix(value, "="); ok && identifier(name) {
		return true
	}
	return strings.HasPrefix(value, "--") || len(value) > 1 && strings.IndexByte(".+,", value[0]) >= 0 && strings.IndexByte(" $", value[1]) >= 0
}

// numeric reports whether a value is a number as programs write it.
func numeric(value string) bool {
	number := strings.TrimPrefix(value, "-")
	if strings.HasPrefix(number, "0x") {
		return len(number) < 2+16+1 && forward(number, 2, len(number), hexBytes) == len(number)
	}
	return forward(number, 0, len(number), numberBytes) == len(number)
}

// program reports whether a value without quotes is a number, the address or negation of a name, or
// a field of another value with such a name: authKey = cfg.Parsed.AuthKey.
func program(value string) bool {
	if strings.IndexByte("&*", value[0]) >= 0 && forward(value, 1, len(value), nameBytes) == len(value) {
		return true
	}
	return numeric(value) || field(strings.TrimLeft(value, "&*"))
}

// field reports whether a value is a path of names, without a digit, whose last name itself
// announces a secret.
func field(value string) bool {
	value = strings.NewReplacer("->", ".", "::", ".", "?.", ".").Replace(value)
	at := strings.LastIndexByte(value, '.')
	if at <= 0 || hasDigit(value[at:]) || kindOf(value[at+1:]) == noSecret {
		return false
	}
	for name := range strings.SplitSeq(value, ".") {
		if name == "" || !isLetter(name[0]) && name[0] != '_' || forward(name, 0, len(name), wordBytes) != len(name) {
			return false
		}
	}
	return true
}

// callOrPath reports whether a value without quotes is program text: a call, an element, a field.
func callOrPath(value string) bool { return strings.ContainsAny(value, "()[]{}<>") }

// strength returns how many kinds of characters a value has: lower case, upper case, digits, signs
// that do not occur in names.
func strength(value string) int {
	var lower, upper, digit, sign int
	for i := range len(value) {
		switch b := value[i]; {
		case b >= 'a' && b <= 'z':
			lower = 1
		case isUpper(b):
			upper = 1
		case b >= '0' && b <= '9':
			digit = 1
		case strings.IndexByte("!@#$%^&*+=~?", b) >= 0:
			sign = 1
		}
	}
	if digit+sign == 0 {
		return 0
	}
	return lower + upper + digit + sign
}

// tokenLike reports whether a value has the form of keys and tokens: no blanks or brackets, a digit
// or no word at all, and not made of words.
func tokenLike(value string) bool {
	if numeric(value) || !hasDigit(value) && len(value) < 16 || strings.ContainsAny(value, " \t()[]{}<>\"'`\\") || strings.Contains(value, "://") {
		return false
	}
	return gibberish(value)
}

// given reports whether a value stands as a string or a setting.
func (a assignedTo) given() bool { return a.form == quoted || a.form == setting }

// loud reports whether a name is written as those of environment variables are.
func (a assignedTo) loud() bool { return strings.ToUpper(a.name) == a.name }

// isPIN reports whether a password is a number of six digits or more.
func isPIN(value string) bool { return len(value) >= 6 && allDigits(value) }

// numbered reports whether words end in a number of four digits or more, and are no path, date, or
// name of a file.
func numbered(value string) bool {
	words := strings.TrimRight(value, digits)
	return len(value)-len(words) >= 4 && strings.Count(words, "-")+strings.Count(words, "_") > 0 &&
		forward(words, 0, len(words), dashBytes) == len(words) && !hasDigit(words)
}

// named reports whether a value is the name itself and a number: access_token =
// "access-token-1234".
func (a assignedTo) named(value string) bool {
	plain := strings.NewReplacer("-", "", "_", "", ".", "")
	return strings.Contains(strings.ToLower(plain.Replace(a.name)), strings.ToLower(plain.Replace(strings.TrimRight(value, digits))))
}

// phrase reports whether a password is letters only, and none of the words that stand for one.
func phrase(value string) bool {
	if len(value) < 8 || forward(value, 0, len(value), phraseBytes) != len(value) {
		return false
	}
	lower := strings.ToLower(value)
	for _, word := range []string{"password", "passwort", "secret", "postgres", "default", "required", "undefined", "optional", "admin", "test", "user", "token", "env"} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return lower == value || strings.ToUpper(value) != value
}
