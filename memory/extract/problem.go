package extract

import "strings"

// problemStarts are the words, in lower case, that a line which tells of a failure has; each is looked at closer by
// [Problem].
var problemHints = wordSet(`error errors err panic fatal fail fails failed failure failures exception traceback undefined refused denied segfault
	sigsegv sigabrt sigkill oomkilled deadlock timeout abort aborted crash crashed unresolved cannot enoent econnrefused eacces etimedout
	exit caused assertion segmentation killed unreachable`)

// problemPhrases are what makes a line with such a word an error line and not talk about errors.
var problemPhrases = []string{"error:", "error[", "error ts", "err!", "panic:", "fatal:", "fatal error", "failed:", "failed to ", "failure:",
	"--- fail", "exception:", "exception in ", "traceback (most recent", "undefined:", "undefined reference", "undefined is not", "cannot read propert",
	"cannot find ", "cannot open ", "cannot use ", "cannot resolve ", "connection refused", "permission denied", "access denied", "exit status ",
	"exit code ", "exited with ", "caused by:", "assertion failed", "segmentation fault", "deadlock detected", "all goroutines are asleep",
	"deadlock!", "timeout exceeded", "timeout:", "aborted (core", "core dumped", "oomkilled", "sigsegv", "sigabrt", "enoent", "econnrefused", "eacces",
	"etimedout", "assertionerror", "unreachable code", "tests failed", "test failed", " failed,", "[error]", "level=error", "\"error\":", "host unreachable"}

// Problem reports whether a line or a sentence is an error message: what a program said when it failed, as it is
// printed or quoted. Talk about errors ("handle the error") and good results ("0 failed") are none. It reads 2,000
// bytes at most.
func Problem(line string) bool {
	if len(line) > 2000 {
		line = line[:2000]
	}
	hint := false
	for i := 0; i < len(line); {
		if !wordByte(line[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(line) && wordByte(line[end]) {
			end++
		}
		word := line[i:end]
		i = end
		switch {
		case thrownName(word):
			if end < len(line) && line[end] == ':' || end == len(line) && strings.TrimSpace(line) == word || strings.HasPrefix(line[end:], " in ") {
				return true
			}
		case len(word) <= 12 && isHint(word):
			hint = true
		case word == "FAIL" || word == "ERROR" || word == "FATAL":
			hint = true
		}
	}
	return hint && failed(line)
}

// thrownName tells TypeError, NullPointerException: names of what is thrown.
func thrownName(w string) bool {
	return len(w) > 6 && w[0] >= 'A' && w[0] <= 'Z' && (strings.HasSuffix(w, "Error") || strings.HasSuffix(w, "Exception"))
}

func isHint(word string) bool {
	var buf [12]byte
	for i := range len(word) {
		buf[i] = lowerByte(word[i])
	}
	return problemHints[string(buf[:len(word)])]
}

func failed(line string) bool {
	for _, w := range [...]string{"FAIL", "ERROR ", "ERROR]", "FATAL "} {
		if i := strings.Index(line, w); i >= 0 && i < 40 && !strings.Contains(line, "FAIL 0") {
			return true
		}
	}
	low := strings.ToLower(line)
	for _, none := range [...]string{" 0 error", "no error", " 0 failed", "0 failures", "exit status 0", "exit code 0", "exited with 0", "exited with code 0",
		"errors: 0", "failed: 0", "failures: 0", "error: null", "\"error\":null", "\"error\": null", "error: none"} {
		if strings.Contains(" "+low, none) {
			return false
		}
	}
	for _, p := range problemPhrases {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}
