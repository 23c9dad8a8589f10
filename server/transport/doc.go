// Package transport carries what an editor and a session say to each other. [Conn] is either end of
// a connection, [Client] the editor's end in Go. It is also the border between the wire and the
// domain: [FilePath] and [FileURI] convert URIs and paths, [Encoding] positions and bytes. The
// shared process is in the package daemon below, and what stands between an editor and it in
// forward.
//
// The wire is JSON-RPC 2.0: frames with a Content-Length header, messages in the order in which
// they were sent, and one answer to every request.
//
// The messages and their codec are those of go.lsp.dev/jsonrpc2; its connection is not used,
// because it ends with a panicking handler, a failing notification, a body that is not JSON, and
// lends out parameters that it takes back. A [Conn] survives all of these. What it promises its
// handler:
//
//   - requests and notifications arrive one at a time, in the order of the stream, on one goroutine;
//   - a request's [Work] runs concurrently with whatever follows, after the handler has seen all that came before;
//   - parameters belong to the handler;
//   - a request that was cancelled is answered with RequestCancelled, whatever its work returned;
//   - no more than a thousand requests are pending, nor more bytes of them than one message may have.
//
// What it promises the process: a peer that sends without reading, or faster than it is answered,
// makes its own pipe wait and nothing grow ([Options], [Budget]). A connection belongs to who
// serves it; its methods may be called from any goroutine.
package transport
