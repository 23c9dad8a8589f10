// Package gguf writes tiny models that a real Ollama server loads: an [Embedder] with given
// synonyms, and a [Decoder] that gives one answer to every prompt. Both are written in
// milliseconds, with the same bytes each time.
//
// It is for tests: no weights have to be downloaded, and a model's results follow from the test
// itself.
package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// file is a model in GGUF format, version 3: a header, properties, the tensors' names and shapes,
// their values. All numbers are little-endian; offsets are relative to the start of the values and
// are multiples of alignment.
type file struct {
	properties []property
	tensors    []tensor
}

type property struct {
	key   string
	value any // uint32, float32, bool, string, []int32, []float32 or []string
}

// tensor is a matrix of 32-bit floats. Its shape begins with the dimension that varies fastest.
type tensor struct {
	name   string
	shape  []int
	values []float32
}

const (
	version   = 3
	alignment = 32
)

// The format's codes for the types of properties and tensors.
const (
	codeInt32  = 5
	codeUint32 = 4
	codeFloat  = 6
	codeBool   = 7
	codeString = 8
	codeArray  = 9
	tensorF32  = 0
)

func (f *file) set(key string, value any) { f.properties = append(f.properties, property{key, value}) }

// number is an integer property.
type number struct {
	key   string
	value int
}

// setNumbers sets properties whose keys share a prefix.
func (f *file) setNumbers(prefix string, numbers []number) {
	for _, n := range numbers {
		f.set(prefix+n.key, uint32(n.value))
	}
}

// add takes ownership of values, whose number must match shape.
func (f *file) add(name string, values []float32, shape ...int) {
	if size(shape) != len(values) {
		panic(fmt.Sprintf("tensor %s: %d values for the shape %v", name, len(values), shape))
	}
	f.tensors = append(f.tensors, tensor{name, shape, values})
}

// fill adds a tensor whose values are all the same.
func (f *file) fill(name string, value float32, shape ...int) {
	values := make([]float32, size(shape))
	if value != 0 {
		for i := range values {
			values[i] = value
		}
	}
	f.add(name, values, shape...)
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// encode returns the file's bytes.
func (f *file) encode() []byte {
	b := []byte("GGUF")
	b = appendUint32(b, version)
	b = appendUint64(b, len(f.tensors))
	b = appendUint64(b, len(f.properties))
	for _, p := range f.properties {
		b = appendProperty(appendString(b, p.key), p)
	}
	offset := 0
	for _, t := range f.tensors {
		b = appendString(b, t.name)
		b = appendUint32(b, uint32(len(t.shape)))
		for _, d := range t.shape {
			b = appendUint64(b, d)
		}
		b = appendUint32(b, tensorF32)
		b = appendUint64(b, offset)
		offset = aligned(offset + 4*len(t.values))
	}
	b = pad(b)
	for _, t := range f.tensors {
		for _, v := range t.values {
			b = appendUint32(b, math.Float32bits(v))
		}
		b = pad(b)
	}
	return b
}

func appendProperty(b []byte, p property) []byte {
	switch v := p.value.(type) {
	case uint32:
		return appendUint32(appendUint32(b, codeUint32), v)
	case float32:
		return appendUint32(appendUint32(b, codeFloat), math.Float32bits(v))
	case bool:
		b = appendUint32(b, codeBool)
		if v {
			return append(b, 1)
		}
		return append(b, 0)
	case string:
		return appendString(appendUint32(b, codeString), v)
	case []int32:
		b = appendArray(b, codeInt32, len(v))
		for _, x := range v {
			b = appendUint32(b, uint32(x))
		}
	case []float32:
		b = appendArray(b, codeFloat, len(v))
		for _, x := range v {
			b = appendUint32(b, math.Float32bits(x))
		}
	case []string:
		b = appendArray(b, codeString, len(v))
		for _, x := range v {
			b = appendString(b, x)
		}
	default:
		panic(fmt.Sprintf("property %s: no code for the type %T", p.key, v))
	}
	return b
}

func appendArray(b []byte, code uint32, n int) []byte {
	return appendUint64(appendUint32(appendUint32(b, codeArray), code), n)
}

func appendString(b []byte, s string) []byte { return append(appendUint64(b, len(s)), s...) }

func appendUint32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

func appendUint64(b []byte, v int) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

func pad(b []byte) []byte { return append(b, make([]byte, aligned(len(b))-len(b))...) }
