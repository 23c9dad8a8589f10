package source

import (
	"bytes"
	"path"
)

// maxContainerBytes bounds a file of which only a part is text: DefaultMaxFileBytes, or what is set
// instead, then bounds that part.
const maxContainerBytes = 32 << 20

// containerExts are the extensions of formats that hold pictures or other data beside their text.
var containerExts = set("ipynb md markdown html htm svg")

// maxBytes returns the size up to which a file is read.
func (t *Tree) maxBytes(name string) int64 {
	if ext := path.Ext(name); ext != "" && containerExts[lowerASCII(ext[1:])] {
		return max(t.opts.MaxFileBytes, maxContainerBytes)
	}
	return t.opts.MaxFileBytes
}

// Extract returns the part of a file's text that is indexed: of a notebook its cells (see
// notebook), of other text all but the data of data: addresses, such as embedded pictures and
// source maps. Line numbers stay valid. It may return its argument.
func Extract(name string, text []byte) []byte {
	if lowerASCII(path.Ext(name)) == notebookExt {
		if cells := notebookText(text); cells != nil {
			text = cells
		}
	}
	return withoutData(text)
}

const (
	minDataBytes = 100 // from which the data of an address is left out
	minDataLine  = 40  // of a line on which it continues
)

// withoutData replaces the data of data: addresses by an ellipsis.
func withoutData(text []byte) []byte {
	scheme := []byte("data:")
	var out []byte
	kept := 0 // bytes of text that are in out or left out
	for at := 0; ; {
		i := bytes.Index(text[at:], scheme)
		if i < 0 {
			break
		}
		start := dataStart(text, at+i+len(scheme))
		at += i + len(scheme)
		if start < 0 {
			continue
		}
		end, size := dataEnd(text, start)
		if size < minDataBytes {
			continue
		}
		out = append(append(out, text[kept:start]...), "…"...)
		out = append(out, bytes.Repeat([]byte("\n"), bytes.Count(text[start:end], []byte("\n")))...)
		kept, at = end, end
	}
	if out == nil {
		return text
	}
	return append(out, text[kept:]...)
}

// dataStart returns where the data begins of an address whose media type begins at i, -1 for what
// is no address.
func dataStart(text []byte, i int) int {
	const maxType = 200
	hasSlash := false
	for k := i; k < min(len(text), i+maxType); k++ {
		switch c := text[k]; {
		case c == '/':
			hasSlash = true
		case c == ',' && hasSlash:
			return k + 1
		case !isAlnum(c) && bytes.IndexByte([]byte(".+-;=_"), c) < 0:
			return -1
		}
	}
	return -1
}

// dataEnd returns where the data that begins at start ends, and its size. It may be wrapped to
// lines.
func dataEnd(text []byte, start int) (end, size int) {
	size = dataRun(text[start:])
	end = start + size
	for {
		next := end + len(text[end:]) - len(bytes.TrimLeft(text[end:], " \t\r\n"))
		n := dataRun(text[next:])
		if n < minDataLine || bytes.IndexByte(text[end:next], '\n') < 0 {
			return end, size
		}
		end, size = next+n, size+n
	}
}

// dataRun returns the length of the data at the beginning of a text: base64 or percent-encoded.
func dataRun(text []byte) int {
	for i, c := range text {
		if !isAlnum(c) && bytes.IndexByte([]byte("+/=%-_.!~*"), c) < 0 {
			return i
		}
	}
	return len(text)
}
