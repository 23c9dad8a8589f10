package utterance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isOutput reports whether a trimmed line was printed by a program: a log line, a stack frame, a
// compiler message, a prompt with a command, a column of a table, or a line of data.
func isOutput(line string) bool {
	switch {
	case isPrompt(line),
		strings.HasPrefix(line, "at ") && strings.ContainsAny(line, "(:") && strings.HasSuffix(line, ")"),
		strings.HasPrefix(line, `File "`) && strings.Contains(line, ", line "),
		strings.HasPrefix(line, "--- FAIL"), strings.HasPrefix(line, "=== RUN"), strings.HasPrefix(line, "Traceback ("):
		return true
	}
	return startsWithTime(line) || hasLocation(line) || isData(line) || startsWithSign(line) || hasColumns(line) || hasLevel(line) || namesError(line)
}

// isPrompt reports whether a line begins with a shell's or an interpreter's prompt.
func isPrompt(line string) bool {
	for _, prompt := range [...]string{"$ ", "% ", "❯ ", "PS C:", ">>> "} {
		if strings.HasPrefix(line, prompt) {
			return true
		}
	}
	first, _, found := strings.Cut(line, " ") // me@host:~/src$ make
	return found && len(first) > 2 && strings.ContainsAny(first, "@~\\") && strings.ContainsAny(first[len(first)-1:], "$#>%")
}

// startsWithSign reports whether a line begins with a sign with which programs mark what they
// print: a dingbat, a part of a frame, or one of a few ASCII signs.
func startsWithSign(line string) bool {
	first, n := utf8.DecodeRuneInString(line)
	if unicode.Is(unicode.So, first) && first < firstEmoji {
		return true
	}
	return strings.ContainsRune("!=|%", first) && strings.HasPrefix(line[n:], " ") || strings.HasPrefix(line, "--> ")
}

// firstEmoji is where the signs begin that people type as well.
const firstEmoji = 0x1F000

// hasColumns reports whether a line is laid out in columns: by a tab, or by spaces that do not
// follow a sentence.
func hasColumns(line string) bool {
	gaps := 0
	for i := 1; i+1 < len(line); i++ {
		if line[i] == '\t' {
			return true
		}
		if line[i] == ' ' && line[i+1] == ' ' && !strings.ContainsRune(" .!?:;,", rune(line[i-1])) {
			if gaps++; i+2 < len(line) && line[i+2] == ' ' {
				return true
			}
		}
	}
	return gaps > 1
}

// hasLevel reports whether a line has the level of a log or the part of a program that prints it:
// "npm ERR! …", "[INFO] …", "error[E0382]: …", "level=warn msg=…".
func hasLevel(line string) bool {
	fields := strings.Fields(line)
	first := fields[0]
	switch open := strings.IndexByte(first, '['); {
	case open == 0 && len(first) > 4 && strings.HasSuffix(first, "]"), open > 0 && strings.HasSuffix(first, "]:"):
		return true
	}
	pairs := 0
	for i, f := range fields {
		if k := strings.IndexByte(f, '='); k > 0 && k+1 < len(f) && allLetters(f[:k]) {
			pairs++
		}
		if i == 1 && len(fields) > 2 && len(f) > 3 && strings.HasSuffix(f, "!") && strings.ToUpper(f) == f {
			return true
		}
	}
	return pairs > 1
}

// namesError reports whether a line has the name of an error type with its message.
func namesError(line string) bool {
	for rest := line; ; {
		i := strings.Index(rest, ": ")
		if i < 0 {
			return false
		}
		name := rest[strings.LastIndexByte(rest[:i], ' ')+1 : i]
		if strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") {
			return true
		}
		rest = rest[i+2:]
	}
}

// hasLocation reports whether a line begins with a file path, a line number and a colon, as
// compilers and interpreters print them, or announces a message with them.
func hasLocation(line string) bool {
	head, _, _ := strings.Cut(line, " ")
	if last := line[strings.LastIndexByte(line, ' ')+1:]; strings.HasSuffix(last, ":") && strings.Count(last, ":") > 2 {
		head = last
	}
	first := strings.IndexByte(head, ':')
	return first > 2 && first+1 < len(head) && head[first+1] >= '0' && head[first+1] <= '9' &&
		strings.ContainsAny(head[:first], "./") && strings.Contains(head[first+1:], ":")
}

// tagOf returns what precedes the colon at the beginning of a line, "" if that is more than two
// words or nothing follows: "hint: …", "Alice B.: …".
func tagOf(line string) string {
	i := strings.IndexByte(line[:min(len(line), longestTag+1)], ':')
	if i <= 0 || i+1 < len(line) && line[i+1] != ' ' || strings.Count(line[:i], " ") > 1 {
		return ""
	}
	return line[:i]
}

const (
	longestTag = 32
	// near is how many lines apart a line with a tag may be from output that it belongs to.
	near = 2
	// settings is the number of adjacent lines with different tags from which they are data.
	settings = 3
)

// isSmall reports whether a tag is one word that does not begin with a capital, as programs print
// it.
func isSmall(tag string) bool {
	first, _ := utf8.DecodeRuneInString(tag)
	return tag != "" && !unicode.IsUpper(first) && !strings.Contains(tag, " ")
}

// spread finds the lines whose source their neighbours show: the rest of what a program printed,
// other people's messages, and a mail.
func spread(list []piece) {
	spreadMail(list)
	spreadTalk(list)
	spreadTags(list)
	spreadIndented(list)
	commanded := false // the paragraph has a prompt: what follows is what the command printed
	for i, p := range list {
		if commanded = !p.blank && (commanded || isPrompt(p.line)); i == 0 || !p.isOwn() || list[i-1].Source != Output {
			continue
		}
		if last := list[i-1].line; commanded || strings.HasSuffix(last, ":") || p.depth > 0 && itemMark(p.line) == 0 || sameStart(last, p.line) {
			list[i].Source = Output
		}
	}
	spreadBack(list)
}

// spreadBack finds the lines that the output after them shows to be output.
func spreadBack(list []piece) {
	for i := len(list) - 2; i >= 0; i-- {
		if list[i].isOwn() && list[i+1].Source == Output && sameStart(list[i].line, list[i+1].line) {
			list[i].Source = Output
		}
	}
	for i := 1; i+1 < len(list); i++ { // between two lines of output
		if (list[i].isOwn() || list[i].isFrame()) && list[i-1].Source == Output && list[i+1].Source == Output && !list[i-1].blank && !list[i+1].blank {
			list[i].Source = Output
		}
	}
}

// isFrame reports whether a piece may be the line of code with which a trace shows a frame.
func (p piece) isFrame() bool { return p.Source == Code && p.depth > 0 && fenceOf(p.line) == "" }

func (p piece) isOwn() bool { return p.Source == Own && !p.blank }

// sameStart reports whether two lines begin with the same word in lower case, or the same
// identifier.
func sameStart(a, b string) bool {
	x, _, _ := strings.Cut(strings.TrimLeft(a, "> "), " ")
	y, _, _ := strings.Cut(b, " ")
	first, _ := utf8.DecodeRuneInString(x)
	return x == y && len(x) > 2 && itemMark(b) == 0 && !unicode.IsUpper(first)
}

// spreadTags finds the lines that programs begin with a tag: near output, several with the same
// tag, or many with tags.
func spreadTags(list []piece) {
	tag := make([]string, len(list))
	for i, p := range list {
		if p.isOwn() && itemMark(p.line) == 0 {
			tag[i] = tagOf(p.line)
		}
	}
	for i := 0; i < len(list); {
		end := i
		for end < len(list) && isSmall(tag[end]) {
			end++
		}
		from := i
		if end-i < settings {
			for from < end && !(from+1 < end && tag[from] == tag[from+1]) && !nearOutput(list, from) {
				from++
			}
		}
		for k := from; k < end; k++ {
			list[k].Source = Output
		}
		i = max(end, i+1)
	}
}

// nearOutput reports whether the i-th piece or one near it was printed by a program.
func nearOutput(list []piece, i int) bool {
	return slices.ContainsFunc(list[max(0, i-near):min(len(list), i+near+1)], func(p piece) bool { return p.Source == Output })
}

// spreadTalk finds a transcript: lines that begin with the names of speakers, at least one of whom
// speaks twice with somebody else in between.
func spreadTalk(list []piece) {
	first, last, turns := map[string]int{}, -1, 0 // where a speaker's last turn is
	from, before := -1, ""
	for i, p := range list {
		tag := ""
		if p.isOwn() && itemMark(p.line) == 0 {
			tag = tagOf(p.line)
		}
		if tag == "" || isSmall(tag) {
			continue
		}
		if from < 0 {
			from = i
		}
		if _, spoke := first[tag]; spoke && before != tag {
			last = i
		}
		first[tag], before = i, tag
		turns++
	}
	if last < 0 || turns < 3 {
		return
	}
	for i := from; i < len(list); i++ {
		if i > last && list[i-1].blank {
			return
		}
		if list[i].isOwn() {
			list[i].Source = Quoted
		}
	}
}

// spreadMail finds a mail, which extends to the end of the message: lines of headers, the line that
// names the author of what follows, or a greeting after a colon.
func spreadMail(list []piece) {
	for i := range list {
		if !list[i].isOwn() || !startsMail(list[i:], i > 0 && strings.HasSuffix(before(list, i), ":")) {
			continue
		}
		for k := i; k < len(list); k++ {
			if list[k].Source != Host {
				list[k].Source = Quoted
			}
		}
		return
	}
}

// before returns the last line before the i-th that is not blank.
func before(list []piece, i int) string {
	for i--; i > 0 && list[i].blank; i-- {
	}
	return list[i].line
}

// mostHeaders is the largest number of a mail's header lines that are read.
const mostHeaders = 32

// startsMail reports whether a mail begins with the first of the pieces. announced means that a
// colon precedes it.
func startsMail(list []piece, announced bool) bool {
	line := list[0].line
	if inner := strings.Trim(line, "-_ "); strings.HasPrefix(line, "---") && strings.HasSuffix(line, "---") && inner != "" && !strings.Contains(inner, "|") {
		return true // -----Original Message-----
	}
	if strings.HasSuffix(line, ":") && hasAddress(line) {
		return true // On Tuesday Mei <mei@example.org> wrote:
	}
	if announced && strings.HasSuffix(line, ",") && len(strings.Fields(line)) <= 4 && len(list) > 1 {
		return true // Hi all,
	}
	headers, sure := 0, false
	for _, p := range list[:min(len(list), mostHeaders)] {
		tag := tagOf(p.line)
		if tag == "" || isSmall(tag) || !p.isOwn() {
			break
		}
		headers++
		sure = sure || hasAddress(p.line) || tag == "From" || tag == "Subject"
	}
	return headers > 1 && sure
}

// hasAddress reports whether a line has the address of a mailbox.
func hasAddress(line string) bool {
	i := strings.IndexByte(line, '@')
	return i > 0 && i+1 < len(line) && isWordByte(line[i-1]) && isWordByte(line[i+1]) && strings.Contains(line[i:], ".")
}

// literalDepth is the indentation from which Markdown shows a paragraph literally.
const literalDepth = 4

// spreadIndented finds paragraphs that are shown literally, unless they may belong to an item of a
// list.
func spreadIndented(list []piece) {
	items := false
	for i := range list {
		items = items || itemMark(list[i].line) > 0
		if items || !list[i].isOwn() || list[i].depth < literalDepth {
			continue
		}
		if i == 0 && len(list) > 1 || i > 0 && (list[i-1].blank || list[i-1].Source == Code) {
			list[i].Source = Code
		}
	}
}
