// Package transport carries the messages between an editor and a session. [Conn] is either end of a
// connection, [Client] the editor's end in Go. It also separates the wire from the domain:
// [FilePath] and [FileURI] convert URIs and paths, [Encoding] converts positions and byte offsets.
// The package daemon below contains the shared process, and forward the forwarder between an editor
// and it.
//
// The wire is JSON-RPC 2.0: frames with a Content-Length header, messages in the order in which
// they were sent, and one answer to every request.
//
// The messages and their codec are those of go.lsp.dev/jsonrpc2. Its connection is not used: it
// ends on a panicking handler, a failing notification or a body that is not JSON, and it reuses the
// memory of parameters. A [Conn] survives all of these. It guarantees to its handler:
//
//   - requests and notifications arrive one at a time, in the order of the stream, on one goroutine;
//   - a request's [Work] runs concurrently with whatever follows, after the handler has seen all that came before;
//   - parameters belong to the handler;
//   - a request that was cancelled is answered with RequestCancelled, whatever its work returned;
//   - no more than a thousand requests are pending, nor more bytes of them than one message may have.
//
// It guarantees to the process: a peer that sends without reading, or faster than it is answered,
// blocks its own pipe, and memory does not grow ([Options], [Budget]). A connection belongs to the
// caller of Serve; its methods may be called from any goroutine.
package transport
