package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
)

// The parts of an rpm: a lead of fixed length, the signature, which is a header padded to eight
// bytes, the header proper, and the payload. The format is that of rpm's manual, "Package File
// Format V4".
const (
	rpmLead        = 96
	rpmHeaderStart = 16 // magic number, version, number of entries and length of their data
	rpmEntry       = 16 // tag, type, offset into the data, number of values

	rpmRegion           = 62   // marks the entries before it as one region
	rpmSignatureSize    = 1000 // length of header and payload
	rpmSignatureContent = 1007 // length of the payload's content
	rpmSignatureSHA256  = 273  // of the header
	rpmCompressor       = 1125
	rpmPayloadDigest    = 5092 // SHA-256 of the payload as it is stored
)

// rpmArguments runs the command rpm with its arguments.
func rpmArguments(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: go run ./cmd/gen rpm PACKAGE PAYLOAD FILE")
	}
	old, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	payload, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	text, err := replacePayload(old, payload)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return os.WriteFile(args[2], text, 0o644)
}

// replacePayload returns an rpm with another payload, which holds the same files compressed by xz,
// and the digests and the length that follow from it. The package's own header must name xz; one
// that is signed with a key is refused, since its signature would no longer hold.
func replacePayload(old, payload []byte) ([]byte, error) {
	if len(old) < rpmLead || !bytes.HasPrefix(old, []byte{0xed, 0xab, 0xee, 0xdb}) {
		return nil, errors.New("is no rpm")
	}
	if !bytes.HasPrefix(payload, []byte("\xfd7zXZ\x00")) {
		return nil, errors.New("the payload is not compressed by xz")
	}
	out := bytes.Clone(old)
	signature, err := parseRPMHeader(out[rpmLead:])
	if err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	start := rpmLead + (len(signature.bytes)+7)&^7
	if start > len(out) {
		return nil, errors.New("ends in the signature")
	}
	header, err := parseRPMHeader(out[start:])
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for tag := range signature.values {
		if !slices.Contains([]uint32{rpmRegion, rpmSignatureSize, rpmSignatureContent, rpmSignatureSHA256}, tag) {
			return nil, fmt.Errorf("the signature has tag %d, which depends on the payload", tag)
		}
	}
	if name := header.values[rpmCompressor]; !bytes.HasPrefix(name, []byte("xz\x00")) {
		return nil, errors.New("the header does not name xz")
	}
	if err := setHex(header.values[rpmPayloadDigest], payload); err != nil {
		return nil, fmt.Errorf("payload digest: %w", err)
	}
	if err := setHex(signature.values[rpmSignatureSHA256], header.bytes); err != nil {
		return nil, fmt.Errorf("header digest: %w", err)
	}
	size := signature.values[rpmSignatureSize]
	if len(size) < 4 {
		return nil, errors.New("the signature has no size")
	}
	binary.BigEndian.PutUint32(size, uint32(len(header.bytes)+len(payload)))
	return append(out[:start+len(header.bytes):start+len(header.bytes)], payload...), nil
}

// setHex writes the SHA-256 of text over the one that is there.
func setHex(at, text []byte) error {
	if len(at) < 2*sha256.Size {
		return errors.New("is not there")
	}
	copy(at, fmt.Sprintf("%x", sha256.Sum256(text)))
	return nil
}

// rpmHeader is a header of an rpm: its bytes, and by tag the data from its value on.
type rpmHeader struct {
	bytes  []byte
	values map[uint32][]byte
}

// parseRPMHeader reads the header at the beginning of text, whose memory it shares.
func parseRPMHeader(text []byte) (rpmHeader, error) {
	if len(text) < rpmHeaderStart || !bytes.HasPrefix(text, []byte{0x8e, 0xad, 0xe8, 1}) {
		return rpmHeader{}, errors.New("is not there")
	}
	entries := int(binary.BigEndian.Uint32(text[8:]))
	length := int(binary.BigEndian.Uint32(text[12:]))
	data := rpmHeaderStart + entries*rpmEntry
	if data+length > len(text) {
		return rpmHeader{}, errors.New("is cut")
	}
	h := rpmHeader{text[:data+length], make(map[uint32][]byte, entries)}
	for i := range entries {
		entry := text[rpmHeaderStart+i*rpmEntry:]
		offset := int(binary.BigEndian.Uint32(entry[8:]))
		if offset > length {
			return rpmHeader{}, errors.New("has a value behind its end")
		}
		h.values[binary.BigEndian.Uint32(entry)] = h.bytes[data+offset:]
	}
	return h, nil
}
