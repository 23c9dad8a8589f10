package work

import (
	"strings"
	"unicode/utf8"
)

// Bytes of the parts of a summary: together some sixty tokens, so that five of them are a small
// share of a bundle.
const (
	maxIntentBytes = 160
	maxNotesBytes  = 120
	maxReasonBytes = 80
)

// summarise returns one line with what a task was about, its outcome and what had blocked it. It
// depends only on its arguments: the same completion has the same summary.
func summarise(c Completion, blockedBy string) string {
	var parts []string
	if intent := gist(c.Intent, maxIntentBytes); intent != "" {
		parts = append(parts, ended(intent))
	} else {
		parts = append(parts, c.TaskID+" is done.")
	}
	if v := c.Validation; v != nil {
		outcome := "Failed"
		if v.Success {
			outcome = "Succeeded"
		}
		if notes := gist(v.Notes, maxNotesBytes); notes != "" {
			outcome += ": " + notes
		}
		parts = append(parts, ended(outcome))
	}
	if blockedBy != "" {
		parts = append(parts, ended("Had been blocked: "+gist(blockedBy, maxReasonBytes)))
	}
	return strings.Join(parts, " ")
}

// gist returns the first sentence of a text in one line, cut between words if it is longer than
// maxBytes.
func gist(text string, maxBytes int) string {
	text = firstSentence(strings.Join(strings.Fields(text), " "))
	if len(text) <= maxBytes {
		return text
	}
	const ellipsis = "…"
	cut := maxBytes - len(ellipsis)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	if space := strings.LastIndexByte(text[:cut], ' '); space > cut/2 {
		cut = space
	}
	return strings.TrimRight(text[:cut], " ,;:") + ellipsis
}

// firstSentence cuts at the first end mark before a space and a letter that is not lower case: not
// within "e.g. this" or "v1.2".
func firstSentence(line string) string {
	for i := 0; i+2 < len(line); i++ {
		if c := line[i]; c != '.' && c != '!' && c != '?' || line[i+1] != ' ' {
			continue
		}
		if next := line[i+2]; next < 'a' || next > 'z' {
			return line[:i+1]
		}
	}
	return line
}

func ended(s string) string {
	if strings.HasSuffix(s, "…") || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}
