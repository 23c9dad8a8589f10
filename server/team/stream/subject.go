package stream

import (
	"fmt"
	"strings"
)

// MaxData is the maximum size of a fact or a pack in bytes. Together with its subject and headers,
// including those that a server adds when it is fetched, it stays below the 1 MiB of a message.
const MaxData = 1<<20 - 4<<10

// maxToken is the maximum length of one part of a subject.
const maxToken = 128

// The first parts of subjects.
const (
	factPrefix = "facts"
	packPrefix = "vectors"
)

// subject joins the parts of a subject.
func subject(parts ...string) (string, error) {
	for _, p := range parts {
		if !isToken(p) {
			return "", fmt.Errorf("%q cannot be part of a subject: it needs 1 to %d of the characters A-Z, a-z, 0-9, - and _", p, maxToken)
		}
	}
	return strings.Join(parts, "."), nil
}

func isToken(s string) bool {
	return s != "" && len(s) <= maxToken && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
