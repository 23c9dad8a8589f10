// Package rpc carries JSON-RPC 2.0 between an editor and a session: frames with a Content-Length header, messages in
// the order in which they were sent, and one answer to every request.
//
// The messages and their codec are those of go.lsp.dev/jsonrpc2; its connection is not used, because it ends with a
// panicking handler, a failing notification, a body that is not JSON, and lends out parameters that it takes back.
// A [Conn] survives all of these. What it promises its handler:
//
//   - requests and notifications arrive one at a time, in the order of the stream, on one goroutine;
//   - a request's [Work] runs concurrently with whatever follows, after the handler has seen all that came before;
//   - parameters belong to the handler;
//   - a request that was cancelled is answered with RequestCancelled, whatever its work returned;
//   - no more than a thousand requests are pending, nor more bytes of them than one message may have.
//
// What it promises the process: a peer that sends without reading, or faster than it is answered, makes its own pipe
// wait and nothing grow ([Options], [Budget]).
package rpc
