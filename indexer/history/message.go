package history

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	// trailerKey matches a trailer's key as git defines it: one word with hyphens, then a colon.
	trailerKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*[ \t]*:`)
	// trailerLine matches lines about persons and places, without information about the code.
	trailerLine = regexp.MustCompile(`(?i)^(` +
		`[a-z][a-z0-9-]*-by|change-id|reviewed-on|[a-z-]*trybot-result|commit-queue|auto-submit|run-trybot|` +
		`git-svn-id|gerrit-[a-z-]+|piperorigin-revid|differential revision|pull[- ]request|pr-url|closes-url|` +
		`phabricator-[a-z-]+|github-[a-z-]+|cc|link|x-[a-z-]+|signed-off|golang-change-id|cq-[a-z-]+` +
		`)[ \t]*:|^\(cherry[- ]picked from commit [0-9a-f]+\)|^generated with \[|^\x{1F916}`)
	// address matches a web address. Punctuation that ends a sentence or a bracket after it is
	// kept.
	address = regexp.MustCompile(`(?i)<?\b(?:https?|ftp|git|ssh)://[^\s<>"'\x60)\]}]*[^\s<>"'\x60)\]}.,;:!?]/?>?`)
	// emptied matches brackets that contained nothing but an address.
	emptied = regexp.MustCompile(`[ \t]*(\(\s*\)|\[\s*\]|<\s*>)`)
	// gaps matches runs of blank lines.
	gaps = regexp.MustCompile(`\n{3,}`)
)

// cleanMessage returns the part of a commit's message that is about the code: without trailers and
// addresses, valid UTF-8, "\n" line ends, at most MaxMessageBytes, cut at a rune boundary.
func cleanMessage(raw string) string {
	raw = strings.ToValidUTF8(raw, "\uFFFD")
	raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
	lines := dropTrailers(strings.Split(strings.TrimSpace(raw), "\n"))
	kept := lines[:0]
	for _, line := range lines {
		plain := line
		if strings.Contains(line, "://") {
			plain = emptied.ReplaceAllString(address.ReplaceAllString(line, ""), "")
			if strings.Trim(plain, " \t-*:.,;") == "" {
				continue
			}
		}
		kept = append(kept, strings.TrimRight(plain, " \t"))
	}
	text := gaps.ReplaceAllString(strings.TrimSpace(strings.Join(kept, "\n")), "\n\n")
	return cutAtRune(text, MaxMessageBytes)
}

// dropTrailers removes the last paragraph if it is a block of trailers, and known trailers anywhere
// except in the subject, with the indented lines that continue them.
func dropTrailers(lines []string) []string {
	end := len(lines)
	start := end
	for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
		start--
	}
	if start > 0 && isTrailerBlock(lines[start:end]) {
		lines = lines[:start]
	}
	kept := make([]string, 0, len(lines))
	dropping := false
	for i, line := range lines {
		indented := line != "" && (line[0] == ' ' || line[0] == '\t')
		dropping = i > 0 && (isTrailer(strings.TrimSpace(line)) || dropping && indented && strings.TrimSpace(line) != "")
		if !dropping {
			kept = append(kept, line)
		}
	}
	return kept
}

// isTrailer reports whether a line is a known trailer. A quick check avoids the expression for most
// lines.
func isTrailer(line string) bool {
	return strings.ContainsAny(line, ":([\U0001F916") && trailerLine.MatchString(line)
}

// isTrailerBlock reports whether every line is "Key: value" or continues one, and at least one of
// them has a hyphenated or known key: a paragraph of prose may begin with "Note: ".
func isTrailerBlock(block []string) bool {
	sure := false
	for i, line := range block {
		if i > 0 && (line[0] == ' ' || line[0] == '\t') {
			continue
		}
		key := trailerKey.FindString(line)
		known := isTrailer(line)
		if key == "" && !known {
			return false
		}
		sure = sure || known || strings.Contains(key, "-")
	}
	return sure
}

// cutAtRune shortens s to at most n bytes without splitting a rune.
func cutAtRune(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " \t\n")
}
