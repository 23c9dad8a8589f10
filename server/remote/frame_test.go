package remote

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"syscall"
	"testing"
)

// FuzzFrames: whatever comes, the reader gives frames within their limits or an error, and what it
// gives is what stood there.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("O\x00\x00\x00\x02hiX\x00\x00\x00\x01\x00"))
	f.Add([]byte("R\x00\x80\x00\x00"))
	f.Add([]byte("S\x00\x00\x00\x00N\x00\x00\x00\x04\x00\x00\x00\x09"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newReader(bytes.NewReader(data))
		var again bytes.Buffer
		w := &writer{out: &again}
		for {
			k, body, err := in.next()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errFrame) {
					t.Errorf("error %v", err)
				}
				break
			}
			if len(body) > k.limit() {
				t.Fatalf("%q has %d bytes", k, len(body))
			}
			if err := w.write(k, body); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(data, again.Bytes()) {
			t.Errorf("read %q of %q", &again, data)
		}
	})
}

// FuzzRequest: what is taken for a request is one, and is the same when it is sent on.
func FuzzRequest(f *testing.F) {
	body, err := (&Request{Args: []string{"why", "a"}, Dir: "/", Env: map[string]string{"HOME": "/"}, Err: Terminal{On: true, Columns: 9}}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte(`{"protocol":1,"args":[null,"eA=="],"dir":"L3g=","env":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(body)
		if err != nil {
			return
		}
		body, err = r.encode()
		if err != nil {
			return // JSON may write more shortly than we do
		}
		again, err := decode(body)
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}

// FuzzFault: any answer about a stream is an error or none, and keeps the system's name for it.
func FuzzFault(f *testing.F) {
	f.Add(encodeFault(syscall.EPIPE))
	f.Add(encodeFault(errors.New("odd")))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, body []byte) {
		err := decodeFault(body)
		if (err == nil) != (len(body) == 0) {
			t.Fatalf("%q is %v", body, err)
		}
		var errno syscall.Errno
		if errors.As(err, &errno) && !errors.Is(decodeFault(encodeFault(err)), errno) {
			t.Errorf("%v is lost", errno)
		}
	})
}
