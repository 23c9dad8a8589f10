package main

import (
	"strings"
	"testing"

	"github.com/DataDog/zstd"
)

func TestPackRanks(t *testing.T) {
	packed, err := packRanks([]byte("YQ== 0\nYWI= 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := zstd.Decompress(nil, packed); err != nil || string(data) != "\x02\x00\x00\x00\x01\x02aab" {
		t.Errorf("unpacked %q, %v", data, err)
	}
	for name, test := range map[string]struct{ file, want string }{
		"no base64":   {"YQ== 0\n?? 1\n", "line 2"},
		"wrong rank":  {"YQ== 0\nYWI= 2\n", "want 1"},
		"no rank":     {"YQ==\n", "want 0"},
		"empty token": {" 0\n", "0 bytes"},
		"long token":  {strings.Repeat("YWFh", 90) + " 0\n", "270 bytes"},
	} {
		if _, err := packRanks([]byte(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
