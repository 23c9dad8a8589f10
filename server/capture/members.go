package capture

import "bytes"

// only returns a JSON object without the members whose names keep rejects; the result may share the
// bytes of object, or be object. Hosts write a tool's answer to a log more than once: skipping a
// member takes a fraction of the time of decoding it.
//
// Only the quotes and brackets of skipped members are checked. If these do not match, or object is
// not a JSON object, it is returned unchanged, so that its decoder finds the fault.
func only(object []byte, keep func(name []byte) bool) []byte {
	s := memberScanner{text: object}
	if !s.open() {
		return object
	}
	var kept []byte // nil while no member was left out
	from := s.at    // start of what is kept and not yet copied
	for {
		start := s.at
		name, last, ok := s.member()
		if !ok {
			return object
		}
		if !keep(name) {
			if kept == nil {
				kept = make([]byte, 0, min(len(object), 4<<10))
				kept = append(kept, '{')
			}
			kept = append(kept, object[from:start]...)
			from = s.at
		}
		if last {
			break
		}
	}
	if kept == nil {
		return object
	}
	kept = bytes.TrimRight(append(kept, object[from:s.at]...), ", \t\r\n")
	return append(kept, '}')
}

// memberScanner iterates over the members of a JSON object.
type memberScanner struct {
	text []byte
	at   int
}

// open skips the bracket that begins the object.
func (s *memberScanner) open() bool {
	s.space()
	if s.at >= len(s.text) || s.text[s.at] != '{' {
		return false
	}
	s.at++
	return true
}

// member skips one member and the comma after it. name is the text between its quotes. last reports
// that the object ends there, followed by nothing but space.
func (s *memberScanner) member() (name []byte, last, ok bool) {
	s.space()
	start := s.at
	if !s.quoted() {
		return nil, false, false
	}
	name = s.text[start+1 : s.at-1]
	s.space()
	if s.at >= len(s.text) || s.text[s.at] != ':' {
		return nil, false, false
	}
	s.at++
	if !s.value() || s.at >= len(s.text) {
		return nil, false, false
	}
	if s.text[s.at] == ',' {
		s.at++
		return name, false, true
	}
	end := s.at
	s.at++
	s.space()
	ok = s.text[end] == '}' && s.at == len(s.text)
	s.at = end
	return name, true, ok
}

// value skips everything up to the comma or the bracket that ends a member.
func (s *memberScanner) value() bool {
	for depth := 0; s.at < len(s.text); {
		switch s.text[s.at] {
		case '"':
			if !s.quoted() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
		s.at++
	}
	return false
}

// quoted skips a string.
func (s *memberScanner) quoted() bool {
	if s.at >= len(s.text) || s.text[s.at] != '"' {
		return false
	}
	for at := s.at + 1; ; {
		i := bytes.IndexByte(s.text[at:], '"')
		if i < 0 {
			return false
		}
		at += i
		escapes := 0
		for s.text[at-1-escapes] == '\\' {
			escapes++
		}
		at++
		if escapes%2 == 0 {
			s.at = at
			return true
		}
	}
}

func (s *memberScanner) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\r' || s.text[s.at] == '\n') {
		s.at++
	}
}
