package chunk

// #include "syntax.h"
import "C"

import "github.com/contexture-dev/contexture/indexer/chunk/packed"

// grammarOf returns the grammar for a language, nil without one.
func grammarOf(language string) *grammar {
	if c := (*C.TSLanguage)(packed.Language(language)); c != nil {
		return newGrammar(c)
	}
	return nil
}
