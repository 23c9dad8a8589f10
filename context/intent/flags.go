package intent

import "regexp"

// flag matches an option of a command line in its long form.
var flag = regexp.MustCompile(`(?:^|[\s"'` + "`" + `(\[])--([A-Za-z][\w-]+)`)

// Flags returns the options of a command line that a prompt names, in their long form, without the
// hyphens: "dry-run" for "like --dry-run=all".
func Flags(prompt string) (names []string) {
	for _, m := range flag.FindAllStringSubmatch(clip(prompt, maxFlagBytes), -1) {
		names = appendNew(names, m[1], maxIdentifiers)
	}
	return names
}

// maxFlagBytes bounds the part of a prompt in which flags are looked for.
const maxFlagBytes = 4 << 10
