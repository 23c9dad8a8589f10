package remote

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// fault is an error of a stream on the other side: its text and, where it came from the system,
// what the system calls it. errors.Is finds the latter, so that a closed pipe is one on both sides.
type fault struct {
	text  string
	errno syscall.Errno // 0 = none
}

func (f *fault) Error() string { return f.text }

func (f *fault) Unwrap() error {
	if f.errno == 0 {
		return nil
	}
	return f.errno
}

// encodeFault writes an error for the other side; nothing for nil.
func encodeFault(err error) []byte {
	if err == nil {
		return nil
	}
	var errno syscall.Errno
	if !errors.As(err, &errno) && errors.Is(err, fs.ErrClosed) {
		errno = syscall.EBADF
	}
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	text = text[:min(len(text), maxFault-4)]
	return append(binary.BigEndian.AppendUint32(nil, uint32(errno)), text...)
}

// decodeFault reads what encodeFault wrote.
func decodeFault(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	if len(body) < 4 {
		return errFrame
	}
	return &fault{text: string(body[4:]), errno: syscall.Errno(binary.BigEndian.Uint32(body))}
}
