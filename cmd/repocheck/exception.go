package repocheck

import (
	"fmt"
	"slices"
)

// exception allows one file to break one rule.
type exception struct{ path, reason string }

// except removes the findings in excepted files, and adds one for each excepted file that does not
// need the exception.
func except(t *Tree, findings []Finding, exceptions []exception) []Finding {
	for _, e := range exceptions {
		kept := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Path == e.path })
		exists := slices.ContainsFunc(t.Files, func(f *File) bool { return f.Path == e.path })
		if exists && len(kept) == len(findings) {
			kept = append(kept, Finding{e.path, 0, fmt.Sprintf("is excepted (%s) and needs it no more", e.reason)})
		}
		findings = kept
	}
	return findings
}
