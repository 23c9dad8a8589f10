package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/DataDog/zstd"
	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// renderRanks packs a vocabulary of tiktoken, whose file has lines of "base64 rank" in the order of
// the ranks from 0, into the form that context/tokens unpacks.
func renderRanks(encoding string) ([]byte, error) {
	file, err := assets.Assets.ReadFile(encoding + ".tiktoken")
	if err != nil {
		return nil, err
	}
	return packRanks(file)
}

func packRanks(file []byte) ([]byte, error) {
	var lengths, blob []byte
	for line := range bytes.Lines(file) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(line) == 0 {
			continue
		}
		rank := len(lengths)
		text, number, _ := bytes.Cut(line, []byte{' '})
		if n, err := strconv.Atoi(string(number)); err != nil || n != rank {
			return nil, fmt.Errorf("line %d: rank %q, want %d", rank+1, number, rank)
		}
		before := len(blob)
		var err error
		if blob, err = base64.StdEncoding.AppendDecode(blob, text); err != nil {
			return nil, fmt.Errorf("line %d: %w", rank+1, err)
		}
		n := len(blob) - before
		if n == 0 || n > math.MaxUint8 {
			return nil, fmt.Errorf("line %d: token of %d bytes", rank+1, n)
		}
		lengths = append(lengths, byte(n))
	}
	count := binary.LittleEndian.AppendUint32(nil, uint32(len(lengths)))
	return zstd.CompressLevel(nil, slices.Concat(count, lengths, blob), 19)
}
