package daemon

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestFolderOfOthers: what is not a folder of the user's own is neither served in nor dialled
// through.
func TestFolderOfOthers(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, run string)
		uid  int
		say  string
	}{
		{"a file", func(t *testing.T, run string) {
			if err := os.WriteFile(run, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, os.Geteuid(), "not a folder"},
		{"another user's", func(t *testing.T, run string) {
			if err := os.Mkdir(run, 0o700); err != nil {
				t.Fatal(err)
			}
		}, os.Geteuid() + 1, "another user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := newPlace(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			p.uid = tt.uid
			tt.make(t, p.run)
			if err := p.prepare(); err == nil || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("prepare: %v", err)
			}
			if _, err := p.dial(t.Context()); err == nil || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("dial: %v", err)
			}
		})
	}
}

func TestPeers(t *testing.T) {
	other := func(*peerConn) (int, error) { return os.Geteuid() + 1, nil }
	unknown := func(*peerConn) (int, error) { return 0, errors.New("not told") }
	for name, peer := range map[string]func(*peerConn) (int, error){"another user": other, "nobody can tell": unknown} {
		t.Run("daemon refuses: "+name, func(t *testing.T) {
			r := begin(t, t.TempDir(), func(o *Options) { o.peer = peer })
			if _, err := Dial(t.Context(), r.state, hello(Session, 5)); !errors.Is(err, ErrNone) {
				t.Errorf("dial: %v", err)
			}
		})
		t.Run("client refuses: "+name, func(t *testing.T) {
			var served atomic.Bool
			r := begin(t, t.TempDir(), func(o *Options) {
				o.Session = func(context.Context, net.Conn, Hello) error { served.Store(true); return nil }
			})
			p, err := newPlace(r.state)
			if err != nil {
				t.Fatal(err)
			}
			p.peer = peer
			if _, err := p.greet(t.Context(), hello(Session, 5)); err == nil || absent(err) {
				t.Errorf("greet: %v", err)
			}
			r.stop()
			if err := r.ends(); err != nil || served.Load() {
				t.Errorf("it was served: %t, %v", served.Load(), err)
			}
		})
	}
}

// TestStaleSocket: what a killed daemon left does not keep the next one away.
func TestStaleSocket(t *testing.T) {
	state := t.TempDir()
	p, err := newPlace(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.prepare(); err != nil {
		t.Fatal(err)
	}
	l, err := p.listen()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil { // the name stays
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), state, hello(Session, 5)); !errors.Is(err, ErrNone) {
		t.Fatalf("dial: %v", err)
	}
	answers(t, begin(t, state, nil).dial(5))
}

// TestNoise: whatever a client says instead of hello, it alone is the worse for it.
func TestNoise(t *testing.T) {
	r := begin(t, t.TempDir(), nil)
	sized := func(body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	for name, text := range map[string]string{
		"LSP": "Content-Length: 2\r\n\r\n{}", "nothing": "", "a size": "\x00\x00", "a huge size": "\xff\xff\xff\xff", "no JSON": sized("{"),
		"another type": sized("[1]"), "no purpose": sized("{}"), "another's": sized(`{"purpose":"mail"}`), "half of it": sized(`{"purpose":"session"}`)[:9],
		"zeros": strings.Repeat("\x00", 100), "long": strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			conn := rawDial(t, r.state)
			_, _ = io.WriteString(conn, text) // it may be closed already
			if err := conn.CloseWrite(); err != nil && !errors.Is(err, syscall.ENOTCONN) && !isReset(err) {
				t.Fatal(err)
			}
			gone(t, conn)
			answers(t, r.dial(5))
		})
	}
}

// TestSilence: a client that says nothing is not waited for.
func TestSilence(t *testing.T) {
	r := begin(t, t.TempDir(), nil)
	conn := rawDial(t, r.state)
	begun := time.Now()
	gone(t, conn)
	if took := time.Since(begun); took > 3*greetPatience {
		t.Errorf("it took %s", took)
	}
	answers(t, r.dial(5))
}

func TestIdle(t *testing.T) {
	closed := make(chan struct{})
	r := begin(t, t.TempDir(), func(o *Options) {
		o.Idle = 50 * time.Millisecond
		o.Close = func() error { close(closed); return nil }
	})
	// A client keeps it, however long it says nothing.
	conn, err := Dial(t.Context(), r.state, hello(Session, 5))
	if err == nil {
		timer := time.NewTimer(300 * time.Millisecond)
		select {
		case <-r.done:
			t.Fatal("it left a client")
		case <-timer.C:
		}
		answers(t, conn)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	} else if !errors.Is(err, ErrNone) { // slow as this test may be, it had left
		t.Fatal(err)
	}
	if err := r.ends(); err != nil {
		t.Error(err)
	}
	select {
	case <-closed:
	default:
		t.Error("it left without closing")
	}
	if _, err := os.Lstat(filepath.Join(r.state, runFolder, endpointName)); !os.IsNotExist(err) {
		t.Errorf("its socket is left: %v", err)
	}
}

// move moves or removes a state directory, or what is in it.
type move struct {
	name string
	move func(top, state string) error
}

// TestMovedState: a daemon without clients leaves when its directory, one above it or its socket is
// no longer where it was.
func TestMovedState(t *testing.T) {
	for _, tt := range append([]move{
		{"the directory is moved", func(top, state string) error { return os.Rename(state, state+"-old") }},
		{"one above is moved", func(top, state string) error { return os.Rename(filepath.Dir(state), filepath.Join(top, "old")) }},
		{"the run folder is moved", func(top, state string) error {
			return os.Rename(filepath.Join(state, runFolder), filepath.Join(state, "old"))
		}},
	}, removals...) {
		t.Run(tt.name, func(t *testing.T) {
			top := filepath.Join(t.TempDir(), "top")
			state := filepath.Join(top, "a", "state")
			r := begin(t, state, nil)
			if err := tt.move(top, state); err != nil {
				t.Fatal(err)
			}
			if err := r.ends(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAway: a daemon that is told to end says so to its sessions, and lets them finish.
func TestAway(t *testing.T) {
	r := begin(t, t.TempDir(), nil)
	conn := r.dial(5)
	answers(t, conn)
	r.stop()
	got := make([]byte, len(awayMessage))
	if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, awayMessage) {
		t.Fatalf("%q came: %v", got, err)
	}
	answers(t, conn)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.ends(); err != nil {
		t.Error(err)
	}
}

// TestHeld checks that a second daemon does not share the place, says who has it, and does not wait
// for one that listens: two are started if the client that started the first is killed before it
// has the place.
func TestHeld(t *testing.T) {
	r := begin(t, t.TempDir(), nil)
	begun := time.Now()
	err := Serve(t.Context(), Options{StateDir: r.state})
	if took := time.Since(begun); took >= lockPatience {
		t.Errorf("the second daemon ends after %v", took)
	}
	var held *HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() || !strings.Contains(err.Error(), "--state-dir") {
		t.Errorf("serve: %v", err)
	}
	answers(t, r.dial(5))
}

func FuzzReadGreeting(f *testing.F) {
	var b bytes.Buffer
	if err := writeGreeting(&b, hello(Session, 5)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bytes.NewReader(data)
		var h Hello
		if readGreeting(in, &h) != nil {
			return
		}
		if used := len(data) - in.Len(); used != 4+int(binary.BigEndian.Uint32(data)) {
			t.Fatalf("%d bytes were read of %q", used, data)
		}
		var b bytes.Buffer
		if err := writeGreeting(&b, h); err != nil {
			return // JSON may grow over the limit
		}
		var again Hello
		if err := readGreeting(&b, &again); err != nil || again != h {
			t.Fatalf("%+v became %+v: %v", h, again, err)
		}
	})
}
