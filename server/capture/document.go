package capture

import (
	"encoding/json"
	"io"
)

// each calls item for the elements of a JSON array: the document itself, or a member of the
// document's object. It reads as much of a torn document as it can, and counts the document as
// unknown.
func each(r io.Reader, member string, out *Found, item func(n int, raw json.RawMessage)) (rest map[string]json.RawMessage) {
	dec := json.NewDecoder(r)
	rest = map[string]json.RawMessage{}
	elements := func() bool {
		for n := 0; dec.More(); n++ {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				return false
			}
			item(n, raw)
		}
		_, err := dec.Token()
		return err == nil
	}
	token, err := dec.Token()
	ok := err == nil
	switch token {
	case json.Delim('['):
		ok = elements()
	case json.Delim('{'):
		for ok && dec.More() {
			key, err := dec.Token()
			name, isName := key.(string)
			if ok = err == nil && isName; !ok {
				break
			}
			if name != member {
				var raw json.RawMessage
				ok = dec.Decode(&raw) == nil
				rest[name] = raw
				continue
			}
			opening, err := dec.Token()
			switch {
			case err != nil:
				ok = false
			case opening == json.Delim('['):
				ok = elements()
			case opening != nil: // null is an empty list
				ok = false
			}
		}
	default:
		ok = false
	}
	if !ok {
		out.unknown("broken document", 0)
	}
	return rest
}
