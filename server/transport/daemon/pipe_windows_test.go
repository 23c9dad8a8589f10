package daemon

import (
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// removals is empty: the system does not remove what a daemon has open.
var removals []move

// TestPipeAccess holds that the pipe belongs to this user, and that nobody else may open it.
func TestPipeAccess(t *testing.T) {
	access, err := onlyUser()
	if err != nil {
		t.Fatal(err)
	}
	self, err := userOf(windows.GetCurrentProcessToken())
	if err != nil {
		t.Fatal(err)
	}
	text := access.SecurityDescriptor.String()
	if !strings.HasPrefix(text, "O:"+self+"D:P(A;;") || strings.Count(text, "(") != 1 || !strings.HasSuffix(text, ";;;"+self+")") {
		t.Errorf("the access is %s", text)
	}
}

// TestPipeOwner holds that a pipe of another user is not trusted.
func TestPipeOwner(t *testing.T) {
	r := begin(t, t.TempDir(), nil)
	conn := rawDial(t, r.state)
	if uid, err := peerOf(conn); err != nil || uid != os.Geteuid() {
		t.Errorf("the daemon's user is %d: %v", uid, err)
	}
	for name, text := range map[string]string{"the system": "O:SYD:P(A;;GA;;;WD)", "administrators": "O:BAD:P(A;;GA;;;WD)"} {
		access, err := windows.SecurityDescriptorFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		sd := &windows.SecurityAttributes{SecurityDescriptor: access}
		l := &listener{name: pipePrefix + strings.ReplaceAll(name, " ", "-"), access: sd, next: windows.InvalidHandle}
		if err := l.prepare(0); err != nil {
			continue // only an administrator can make it
		}
		if uid, err := peerOf(newPeerConn(l.next, l.name)); err != nil || uid == os.Geteuid() {
			t.Errorf("%s: the user is %d: %v", name, uid, err)
		}
	}
}

// TestCloseWrite holds that the end of one direction leaves the other open.
func TestCloseWrite(t *testing.T) {
	p, err := newPlace(t.TempDir())
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
	defer l.Close()
	const text = "all of it"
	go func() {
		conn, err := l.accept()
		if err != nil {
			t.Error(err)
			return
		}
		got, err := io.ReadAll(conn)
		if err != nil || string(got) != text {
			t.Errorf("%q came: %v", got, err)
		}
		_, _ = conn.Write(got)
		_ = conn.Close()
	}()
	conn := rawDial(t, p.state)
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != text {
		t.Errorf("%q came back: %v", got, err)
	}
}
