package command

import _ "embed"

// SchemaJSON is schema.json: one JSON Schema 2020-12 document whose $defs hold every argument and
// result type by name and whose commands map each id to its two types. It must not be changed.
//
//go:embed schema.json
var SchemaJSON []byte
