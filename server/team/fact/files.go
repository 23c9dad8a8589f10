package fact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Problem is a file that is no fact.
type Problem struct {
	File string
	Err  error
}

// Marshal returns the files of a set, by name: one for each fact and for each removal. Equal sets
// have equal files, so that two clones that export the same produce the same commit.
func Marshal(s *Set) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, o := range s.All() {
		var b bytes.Buffer
		if err := json.Indent(&b, o.Sealed, "", "  "); err != nil {
			return nil, fmt.Errorf("write fact %s: %w", o.ID, err)
		}
		b.WriteByte('\n')
		out[fileName(o)] = b.Bytes()
	}
	return out, nil
}

// fileName is the fact's id; a removal's has its author too, since anybody can write one.
func fileName(o *VerifiedFact) string {
	if o.Removes != "" {
		return o.ID + "." + strings.ToLower(o.Author) + ".removed.json"
	}
	return o.ID + ".json"
}

// IsFile reports whether a file of this name may be one that Marshal made.
func IsFile(name string) bool {
	id, _, _ := strings.Cut(name, ".")
	return IsID(id) && strings.HasSuffix(name, ".json")
}

// Unmarshal returns the facts in the files of a folder, by name, in the order of their names. A
// file that holds none is a problem and no reason to leave out the others; files with names that
// Marshal does not give are ignored.
func Unmarshal(files map[string][]byte) (facts []*VerifiedFact, problems []Problem) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !IsFile(name) {
			continue
		}
		o, err := Open(files[name])
		if err == nil && fileName(o) != name {
			err = fmt.Errorf("%w: it belongs into %s", ErrInvalid, fileName(o))
		}
		if err != nil {
			problems = append(problems, Problem{name, err})
			continue
		}
		facts = append(facts, o)
	}
	return facts, problems
}
