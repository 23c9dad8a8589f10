package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// rpmValue is an entry of a header in a test.
type rpmValue struct {
	tag  uint32
	data string
}

// rpmHeaderOf returns a header with the values, and their offsets.
func rpmHeaderOf(values ...rpmValue) []byte {
	var index, data []byte
	for _, v := range values {
		index = binary.BigEndian.AppendUint32(index, v.tag)
		index = binary.BigEndian.AppendUint32(index, 6)
		index = binary.BigEndian.AppendUint32(index, uint32(len(data)))
		index = binary.BigEndian.AppendUint32(index, 1)
		data = append(data, v.data...)
	}
	out := []byte{0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0}
	out = binary.BigEndian.AppendUint32(out, uint32(len(values)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	return append(append(out, index...), data...)
}

// rpmOf returns a package of a signature, a header and a payload.
func rpmOf(signature, header []byte, payload string) []byte {
	out := append([]byte{0xed, 0xab, 0xee, 0xdb}, make([]byte, rpmLead-4)...)
	out = append(out, signature...)
	out = append(out, make([]byte, (8-len(signature)%8)%8)...)
	return append(append(out, header...), payload...)
}

// TestReplacePayload holds that a package with another payload is, byte for byte, the one that
// would have been made with it.
func TestReplacePayload(t *testing.T) {
	made := func(payload string) []byte {
		header := rpmHeaderOf(
			rpmValue{1000, "contexture\x00"}, rpmValue{rpmCompressor, "xz\x00"},
			rpmValue{rpmPayloadDigest, fmt.Sprintf("%x\x00", sha256.Sum256([]byte(payload)))}, rpmValue{5093, "\x00\x00\x00\x08"})
		size := binary.BigEndian.AppendUint32(nil, uint32(len(header)+len(payload)))
		signature := rpmHeaderOf(rpmValue{rpmSignatureSHA256, fmt.Sprintf("%x\x00\x00\x00\x00", sha256.Sum256(header))}, rpmValue{rpmSignatureSize, string(size)})
		return rpmOf(signature, header, payload)
	}
	const old, smaller = "\xfd7zXZ\x00 the old payload", "\xfd7zXZ\x00 new"
	before := made(old)
	kept := bytes.Clone(before)
	got, err := replacePayload(before, []byte(smaller))
	if err != nil {
		t.Fatal(err)
	}
	if want := made(smaller); !bytes.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if !bytes.Equal(before, kept) {
		t.Error("the package that was given is changed")
	}
	for n := range made(old) {
		if _, err := replacePayload(before[:n], []byte(smaller)); err == nil && n < len(before)-len(old) {
			t.Fatalf("the first %d bytes are taken for a package", n)
		}
	}
}

// TestReplacePayloadRefuses holds what is refused.
func TestReplacePayloadRefuses(t *testing.T) {
	const payload = "\xfd7zXZ\x00"
	digest := rpmValue{rpmPayloadDigest, strings.Repeat("0", 65)}
	signature := []rpmValue{{rpmSignatureSHA256, strings.Repeat("0", 68)}, {rpmSignatureSize, "\x00\x00\x00\x00"}}
	for name, c := range map[string]struct {
		text []byte
		with string
		want string
	}{
		"no rpm":              {make([]byte, 200), payload, "is no rpm"},
		"another compression": {rpmOf(rpmHeaderOf(signature...), rpmHeaderOf(digest, rpmValue{rpmCompressor, "zstd\x00"}), ""), payload, "does not name xz"},
		"a payload by zstd":   {rpmOf(rpmHeaderOf(signature...), rpmHeaderOf(digest), ""), "\x28\xb5\x2f\xfd", "not compressed by xz"},
		"a key's signature":   {rpmOf(rpmHeaderOf(append(signature, rpmValue{268, "key"})...), rpmHeaderOf(digest, rpmValue{rpmCompressor, "xz\x00"}), ""), payload, "tag 268"},
		"no digest":           {rpmOf(rpmHeaderOf(signature...), rpmHeaderOf(rpmValue{rpmCompressor, "xz\x00"}), ""), payload, "payload digest"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := replacePayload(c.text, []byte(c.with)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}
