package transport

import (
	"net/url"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// FilePath returns the absolute path that a file: URI names, however it is percent-encoded. ok is
// false for other schemes, for another machine's files, and for what cannot be a path.
func FilePath(spelt string) (path string, ok bool) {
	c := uri.URI(spelt).Components()
	if !strings.EqualFold(c.Scheme, "file") || c.Authority != "" && !strings.EqualFold(c.Authority, "localhost") {
		return "", false
	}
	path = c.Path
	if strings.IndexByte(path, '%') >= 0 {
		// A percent sign of the name, or what the library leaves encoded: bytes that are not UTF-8,
		// which names of files may have. A sign that encodes nothing, as some clients leave it,
		// stays as it is.
		if whole, err := url.PathUnescape(encodedPath(spelt)); err == nil {
			path = whole
		}
	}
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return filepath.Clean(path), true
}

// encodedPath returns the path of a URI as it is spelt.
func encodedPath(spelt string) string {
	_, rest, _ := strings.Cut(spelt, ":")
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		rest = authority[strings.IndexByte(authority+"/", '/'):]
	}
	return rest
}

// FileURI returns the URI of an absolute path; bytes that are not UTF-8 are percent-encoded as they
// are. For a path that is not absolute it returns what names no file.
func FileURI(path string) string {
	if !strings.HasPrefix(path, "/") {
		return "file:" + path
	}
	path = filepath.Clean(path) // the library takes "//name" for another machine, and panics on "////"
	if len(path) < 3 || path[2] != ':' || path[1] < 'A' || path[1] > 'Z' {
		return string(uri.File(path))
	}
	// The library takes "/C:" for a drive and writes it in lower case; here it is a folder.
	const root = "file:///"
	return root + path[1:2] + strings.TrimPrefix(string(uri.File("/"+path[2:])), root)
}

// DocumentKey returns a name of a document that is the same whatever way its URI is spelt: "file:"
// and the path of a file, "uri:" and the URI of all else, so that what is no path cannot look like
// one.
func DocumentKey(spelt string) string {
	if path, ok := FilePath(spelt); ok {
		return "file:" + path
	}
	return "uri:" + spelt
}

// IsUntitled reports whether a URI names a buffer that has no file yet.
func IsUntitled(spelt string) bool { return strings.HasPrefix(spelt, "untitled:") }
