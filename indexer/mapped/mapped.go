// Package mapped stores large immutable data in files that are searched in place: the system loads
// the pages that are read and evicts them when memory is short, and nothing is decoded at program
// start.
//
// [Write] writes a file of sections at once; [Open] checks its length and checksum and maps it.
// [View] and [Bytes] convert a section to a slice of numbers or plain records and back. Numbers
// have the byte order of the machine; a file of another byte order has a wrong mark and is rejected
// as damaged.
package mapped

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// The layout of a file: the sections, each aligned to a multiple of sectionAlign; the directory,
// offset and length of each section; the footer: number of sections, mark, checksum of everything
// before the checksum.
const (
	sectionAlign = 64
	footerBytes  = 24
	mark         = 0x3170614d78746378 // also identifies the byte order
	maxSections  = 1 << 10
)

// ErrDamaged means that a file is not as Write wrote it. The caller removes it and rebuilds its
// data.
var ErrDamaged = errors.New("the data are damaged")

// File is an open file. Its sections must not be changed, and must not be used once the File is
// unreachable: it is unmapped then. It is safe for concurrent use.
type File struct {
	name     string
	place    place
	sections [][]byte
}

// Name returns the file's name within its folder.
func (f *File) Name() string { return f.name }

// Size returns the file's length in bytes.
func (f *File) Size() int64 { return int64(len(f.place.data)) }

// Sections returns the sections that were passed to Write.
func (f *File) Sections() [][]byte { return f.sections }

// Release returns the memory of loaded pages to the system; reading loads them again.
func (f *File) Release() { f.place.release() }

// Damaged reports whether a part of the file could not be read since it was opened: another program
// has truncated it, or the disk has failed. That part, and only that, was read as zeros.
func (f *File) Damaged() bool { return f.place.missing() }

// Write writes a file of the sections into dir and returns its name, which is stem, the checksum of
// the content, and ext. It writes a temporary file, syncs and renames it, so that the file is
// complete or does not exist.
func Write(dir, stem, ext string, sections [][]byte) (name string, err error) {
	f, err := os.CreateTemp(dir, stem+"-*"+TempExt)
	if err != nil {
		return "", fmt.Errorf("write index data: %w", err)
	}
	sum, err := write(f, sections)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		name = fmt.Sprintf("%s-%016x%s", stem, sum, ext)
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return "", fmt.Errorf("write index data: %w", errors.Join(err, os.Remove(f.Name())))
	}
	syncFolder(dir)
	return name, nil
}

// syncFolder syncs a new name to disk, if the system can. Otherwise a loss of power may lose the
// file, which is detected later.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// TempExt is the extension of files that Write has not finished.
const TempExt = ".tmp"

// write writes the layout and returns the checksum.
func write(f io.Writer, sections [][]byte) (uint64, error) {
	sum := xxh3.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<18)
	var directory []byte
	at := 0
	for _, s := range sections {
		if pad := -at & (sectionAlign - 1); pad > 0 {
			at += pad
			_, _ = w.Write(make([]byte, pad)) // a bufio.Writer keeps its first error until Flush
		}
		directory = binary.NativeEndian.AppendUint64(directory, uint64(at))
		directory = binary.NativeEndian.AppendUint64(directory, uint64(len(s)))
		_, _ = w.Write(s)
		at += len(s)
	}
	directory = binary.NativeEndian.AppendUint64(directory, uint64(len(sections)))
	directory = binary.NativeEndian.AppendUint64(directory, mark)
	_, _ = w.Write(directory)
	if err := w.Flush(); err != nil {
		return 0, err
	}
	total := sum.Sum64()
	_, err := f.Write(binary.NativeEndian.AppendUint64(nil, total))
	return total, err
}

// Open checks and maps a file. It returns an error of the system, or ErrDamaged.
func Open(dir, name string) (*File, error) {
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("open index data: %w", err)
	}
	defer file.Close() // it was only read; the mapping outlives it
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open index data: %w", err)
	}
	directory, err := check(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("open index data %s: %w", name, err)
	}
	p, err := mapFile(file, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("map index data %s: %w", name, err)
	}
	f := &File{name: name, place: p}
	runtime.AddCleanup(f, place.close, p)
	for ; len(directory) > 0; directory = directory[16:] {
		at, n := binary.NativeEndian.Uint64(directory), binary.NativeEndian.Uint64(directory[8:])
		f.sections = append(f.sections, p.data[at:at+n:at+n])
	}
	return f, nil
}

// readFile reads the first size bytes of a file into memory of the process.
func readFile(file *os.File, size int) (place, error) {
	words := make([]uint64, (size+7)/8) // aligned for every record
	data := Bytes(words)[:size]
	_, err := io.ReadFull(io.NewSectionReader(file, 0, int64(size)), data)
	return place{data: data, slot: -1}, err
}

// check reads the whole file, compares its checksum and returns its directory. It reads rather than
// maps: the data that it scans does not stay in the process's memory, and a file that is truncated
// meanwhile returns an error.
func check(file *os.File, size int64) (directory []byte, err error) {
	if size < footerBytes {
		return nil, ErrDamaged
	}
	footer := make([]byte, footerBytes)
	if _, err := file.ReadAt(footer, size-footerBytes); err != nil {
		return nil, err
	}
	n := binary.NativeEndian.Uint64(footer)
	if binary.NativeEndian.Uint64(footer[8:]) != mark || n > maxSections || int64(n)*16 > size-footerBytes {
		return nil, ErrDamaged
	}
	sum := xxh3.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{io.LimitReader(file, size-8)}, make([]byte, 1<<18)); err != nil {
		return nil, err
	}
	if sum.Sum64() != binary.NativeEndian.Uint64(footer[16:]) {
		return nil, ErrDamaged
	}
	directory = make([]byte, n*16)
	end := uint64(size-footerBytes) - n*16
	if _, err := file.ReadAt(directory, int64(end)); err != nil {
		return nil, err
	}
	for d := directory; len(d) > 0; d = d[16:] {
		at, n := binary.NativeEndian.Uint64(d), binary.NativeEndian.Uint64(d[8:])
		if at%sectionAlign != 0 || at > end || n > end-at {
			return nil, ErrDamaged
		}
	}
	return directory, nil
}

// View returns the records of a section, which shares their memory. T must hold no pointers. A
// remainder shorter than a record is ignored.
func View[T any](section []byte) []T {
	var zero T
	n := len(section) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(section))), n)
}

// Bytes is the inverse of View.
func Bytes[T any](records []T) []byte {
	var zero T
	if len(records) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(records))), len(records)*int(unsafe.Sizeof(zero)))
}
