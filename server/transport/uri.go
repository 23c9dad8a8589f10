package transport

import (
	"net/url"
	"path"
	"runtime"
	"strings"

	"go.lsp.dev/uri"
)

// FilePath returns the absolute path of a file: URI, however it is percent-encoded. ok is false for
// other schemes, for files of another machine (UNC paths on Windows), and for invalid paths.
func FilePath(spelt string) (path string, ok bool) { return filePath(spelt, runtime.GOOS == "windows") }

func filePath(spelt string, drives bool) (name string, ok bool) {
	c := uri.URI(spelt).Components()
	server := c.Authority
	if strings.EqualFold(server, "localhost") {
		server = ""
	}
	if !strings.EqualFold(c.Scheme, "file") || server != "" && !drives {
		return "", false
	}
	name = c.Path
	if strings.IndexByte(name, '%') >= 0 {
		// A percent sign in the name, or bytes that the library leaves encoded because they are not
		// UTF-8, which file names may contain. A sign that encodes nothing, as some clients write
		// it, is kept.
		if whole, err := url.PathUnescape(encodedPath(spelt)); err == nil {
			name = whole
		}
	}
	if !strings.HasPrefix(name, "/") || strings.IndexByte(name, 0) >= 0 {
		return "", false
	}
	if drives {
		return drivePath(server, name)
	}
	return path.Clean(name), true
}

// drivePath returns the path of a URI in the form of Windows, with the drive in upper case.
func drivePath(server, uriPath string) (string, bool) {
	clean := path.Clean(strings.ReplaceAll(uriPath, `\`, "/"))
	if server != "" {
		return `\\` + server + strings.ReplaceAll(clean, "/", `\`), clean != "/"
	}
	if !hasDrive(clean[1:]) {
		return "", false
	}
	rest := clean[len("/c:"):]
	if rest == "" {
		rest = "/"
	}
	return strings.ToUpper(clean[1:2]) + ":" + strings.ReplaceAll(rest, "/", `\`), true
}

// hasDrive reports whether a path with slashes begins with a drive and its root.
func hasDrive(slashed string) bool {
	if len(slashed) < 2 || slashed[1] != ':' || len(slashed) > 2 && slashed[2] != '/' {
		return false
	}
	letter := slashed[0] | 0x20
	return 'a' <= letter && letter <= 'z'
}

// encodedPath returns the path of a URI as it is spelled.
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
// are. For a path that is not absolute it returns a URI that names no file.
func FileURI(path string) string {
	if runtime.GOOS == "windows" {
		return driveURI(path)
	}
	return slashURI(path)
}

func slashURI(name string) string {
	if !strings.HasPrefix(name, "/") {
		return "file:" + name
	}
	name = path.Clean(name) // the library treats "//name" as another machine, and panics on "////"
	if len(name) < 3 || name[2] != ':' || name[1] < 'A' || name[1] > 'Z' {
		return string(uri.FileFor(uri.PlatformPOSIX, name))
	}
	// The library treats "/C:" as a drive and writes it in lower case; here it is a folder.
	const root = "file:///"
	return root + name[1:2] + strings.TrimPrefix(string(uri.FileFor(uri.PlatformPOSIX, "/"+name[2:])), root)
}

// driveURI is FileURI for a Windows path, with the drive as Visual Studio Code writes it:
// file:///c%3A/x.
func driveURI(abs string) string {
	slashed := strings.ReplaceAll(abs, `\`, "/")
	if long, ok := strings.CutPrefix(slashed, "//?/"); ok {
		slashed = long
		if share, ok := strings.CutPrefix(long, "UNC/"); ok {
			slashed = "//" + share
		}
	}
	encode := func(rest string) string { // without "file://"
		return strings.TrimPrefix(string(uri.FileFor(uri.PlatformPOSIX, path.Clean("/"+rest))), "file://")
	}
	share, isShare := strings.CutPrefix(slashed, "//")
	switch server, rest, _ := strings.Cut(share, "/"); {
	case isShare && server != "" && rest != "":
		return "file:/" + encode(server) + encode(rest)
	case hasDrive(slashed):
		return "file:///" + strings.ToLower(slashed[:1]) + "%3A" + encode(slashed[2:])
	}
	return "file:" + abs
}

// DocumentKey returns a key of a document that does not depend on the spelling of its URI: "file:"
// and the path of a file, or "uri:" and any other URI, so that a URI that is not a path cannot
// equal one.
func DocumentKey(spelt string) string {
	if path, ok := FilePath(spelt); ok {
		return "file:" + path
	}
	return "uri:" + spelt
}

// IsUntitled reports whether a URI names a buffer that has no file yet.
func IsUntitled(spelt string) bool { return strings.HasPrefix(spelt, "untitled:") }
