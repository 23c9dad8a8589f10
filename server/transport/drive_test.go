package transport

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDrivePath: URIs of Windows' clients give one path each, however the drive is spelled.
func TestDrivePath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///c%3A/Users/x":                  `C:\Users\x`, // Visual Studio Code
		"file:///c%3A/x/y.go":                   `C:\x\y.go`,
		"file:///C:/x":                          `C:\x`,
		"file:///c:":                            `C:\`,
		"file:///c%3A/":                         `C:\`,
		"file:///d%3A/a%20b/%C3%BC":             `D:\a b\ü`,
		"file:///c%3A/a/../b":                   `C:\b`,
		"file://localhost/c:/x":                 `C:\x`,
		"file://server/share/a%20b":             `\\server\share\a b`,
		"file:///c%3A%5Cx":                      `C:\x`,
		"file:///c%3A/100%25":                   `C:\100%`,
		"file:///x/y":                           "",
		"file:///cc:/x":                         "",
		"file:///c%3A/..%2F..%2Fpass":           "",
		"https://server/c:/x":                   "",
		"file:///c%3A/a%00":                     "",
		"file:///c%3a/Users/x":                  `C:\Users\x`,
		"file:///C%3A/Users/x":                  `C:\Users\x`,
		"file:///C:/Users/x":                    `C:\Users\x`, // Neovim
		"file:///c:/Users/x":                    `C:\Users\x`,
		"file:/c:/Users/x":                      `C:\Users\x`,
		"file://localhost/c:/Users/x":           `C:\Users\x`,
		"FILE:///C:/a%20b/%C3%BC.go":            `C:\a b\ü.go`,
		"file:///c:/100%25/a%23b":               `C:\100%\a#b`,
		"file:///c%3A/a%5Cb":                    `C:\a\b`,
		"file:///c:/a/../b/./c/":                `C:\b\c`,
		"file:///c:/../..":                      "", // not even the drive is left
		"file:///c%3A":                          `C:\`,
		"file:///c:/":                           `C:\`,
		"file://server/share/x":                 `\\server\share\x`,
		"file://server/share/a%20b/../c":        `\\server\share\c`,
		"file://Server/Share":                   `\\Server\Share`,
		"file://wsl.localhost/Debian/home/x.go": `\\wsl.localhost\Debian\home\x.go`,
		"file://wsl%24/Debian/x":                `\\wsl$\Debian\x`,
		"file:///Users/x":                       "",
		"file:///cd:/x":                         "",
		"file:///1:/x":                          "",
		"file:///c:x":                           "",
		"file://server":                         "",
		"file://server/":                        "",
		"file:///c:/a%00b":                      "",
		"untitled:Untitled-1":                   "",
		"C:/x":                                  "",
		`C:\x`:                                  "",
		"":                                      "",
	} {
		if got, ok := filePath(uri, true); ok != (want != "") || ok && got != want {
			t.Errorf("filePath(%q) = %q, %t; want %q", uri, got, ok, want)
		}
	}
}

func TestDriveURI(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\x`:                  "file:///c%3A/Users/x",
		`C:\x\y.go`:                   "file:///c%3A/x/y.go",
		`d:\a b\ü#1`:                  "file:///d%3A/a%20b/%C3%BC%231",
		`\\server\share\a b`:          "file://server/share/a%20b",
		`\\?\C:\x`:                    "file:///c%3A/x",
		`c:\Users\x`:                  "file:///c%3A/Users/x",
		"C:/Users/x":                  "file:///c%3A/Users/x",
		`C:\`:                         "file:///c%3A/",
		`C:\a b\ü#%.go`:               "file:///c%3A/a%20b/%C3%BC%23%25.go",
		`C:\a\..\b`:                   "file:///c%3A/b",
		`\\server\share\x`:            "file://server/share/x",
		`\\wsl$\Debian\x`:             "file://wsl%24/Debian/x",
		`\\?\C:\very\long`:            "file:///c%3A/very/long",
		`\\?\UNC\server\share\x`:      "file://server/share/x",
		`\\wsl.localhost\Debian\x.go`: "file://wsl.localhost/Debian/x.go",
	} {
		if got := driveURI(path); got != want {
			t.Errorf("driveURI(%q) = %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"", "a", `a\b`, `\x`, "/x", "C:x", `\\server`, `\\`, `\\?\`} {
		if got, ok := filePath(driveURI(path), true); ok {
			t.Errorf("%q is not absolute and became %q", path, got)
		}
	}
}

// TestDriveRoundTrip: a path's URI leads back to the path.
func TestDriveRoundTrip(t *testing.T) {
	name := rapid.StringOfN(rapid.RuneFrom([]rune("aZü %#?@+()[]~$&=;,'!^{}`-_.日")), 1, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		first, second := name.Draw(t, "first"), name.Draw(t, "second")
		if dots := map[string]bool{".": true, "..": true}; dots[first] || dots[second] {
			return
		}
		for _, path := range []string{`C:\` + first + `\` + second, `\\server\` + first + `\` + second} {
			if got, ok := filePath(driveURI(path), true); !ok || got != path {
				t.Fatalf("%q became %q by %s", path, got, driveURI(path))
			}
		}
	})
}
