package forward

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/transport"
)

// BenchmarkAnswer is the time from a request to its answer of 50 KB, with and without a forwarder
// in between, over sockets: what the forwarder adds is the difference.
func BenchmarkAnswer(b *testing.B) {
	answer := fmt.Sprintf(`{"text":%q}`, strings.Repeat("what stands in a bundle, ", 2000))
	for _, between := range []bool{false, true} {
		b.Run(fmt.Sprintf("forwarder=%t", between), func(b *testing.B) {
			near, far := socketPair(b)
			if between {
				editor := far
				ours, theirs := socketPair(b)
				done := make(chan struct{})
				go func() {
					defer close(done)
					_, _ = Run(b.Context(), editor, Options{Connect: func(context.Context, bool) (net.Conn, error) { return ours, nil }})
				}()
				b.Cleanup(func() {
					_ = near.Close()
					<-done
				})
				far = theirs
			}
			go serveAnswers(far, answer)
			in, out := transport.NewFrameReader(near), transport.NewFrameWriter(near)
			times := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				if err := out.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover","params":{}}`, i)); err != nil {
					b.Fatal(err)
				}
				if _, err := in.Next(); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(begun))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
		})
	}
}

// serveAnswers answers requests in their order until the stream ends.
func serveAnswers(conn net.Conn, answer string) {
	in, out := transport.NewFrameReader(conn), transport.NewFrameWriter(conn)
	for i := 0; ; i++ {
		if _, err := in.Next(); err != nil {
			return
		}
		if out.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, i, answer)) != nil {
			return
		}
	}
}

// socketPair is two ends of a socket.
func socketPair(b *testing.B) (near, far net.Conn) {
	b.Helper()
	l, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("unix", l.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = near.Close()
		_ = far.Close()
	})
	return near, far
}
