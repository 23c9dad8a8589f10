package forward

import (
	"encoding/json"

	"github.com/contexture-dev/contexture/server/transport"
)

// changeParams are those of didChange.
type changeParams struct {
	TextDocument struct {
		URI     string          `json:"uri"`
		Version json.RawMessage `json:"version"`
	} `json:"textDocument"`
	ContentChanges []transport.Change `json:"contentChanges"`
}
