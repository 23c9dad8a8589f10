package transport

import "testing"

// TestDrivePath holds that URIs of Windows become its paths on every system.
func TestDrivePath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///c%3A/x/y.go":         `C:\x\y.go`,
		"file:///C:/x":                `C:\x`,
		"file:///c:":                  `C:\`,
		"file:///c%3A/":               `C:\`,
		"file:///d%3A/a%20b/%C3%BC":   `D:\a b\ü`,
		"file:///c%3A/a/../b":         `C:\b`,
		"file://localhost/c:/x":       `C:\x`,
		"file://server/share/a%20b":   `\\server\share\a b`,
		"file:///c%3A%5Cx":            `C:\x`,
		"file:///c%3A/100%25":         `C:\100%`,
		"file:///x/y":                 "",
		"file://server/":              "",
		"file:///cc:/x":               "",
		"file:///c:x":                 "",
		"file:///c%3A/..%2F..%2Fpass": "",
		"https://server/c:/x":         "",
		"file:///c%3A/a%00":           "",
	} {
		got, ok := filePath(uri, true)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("filePath(%q) = %q, want %q", uri, got, want)
		}
	}
}

// TestDriveURI holds that paths of Windows become the URIs that editors write, and come back.
func TestDriveURI(t *testing.T) {
	for path, want := range map[string]string{
		`C:\x\y.go`:              "file:///c%3A/x/y.go",
		`C:\`:                    "file:///c%3A/",
		`d:\a b\ü#1`:             "file:///d%3A/a%20b/%C3%BC%231",
		`\\server\share\a b`:     "file://server/share/a%20b",
		`\\?\C:\x`:               "file:///c%3A/x",
		`\\?\UNC\server\share\x`: "file://server/share/x",
		`x\y`:                    `file:x\y`,
		`\x`:                     `file:\x`,
		`C:x`:                    "file:C:x",
	} {
		got := driveURI(path)
		if got != want {
			t.Errorf("driveURI(%q) = %q, want %q", path, got, want)
		}
		if back, ok := filePath(got, true); ok && driveURI(back) != got {
			t.Errorf("%q comes back as %q", got, back)
		}
	}
}
