// Package mcp offers the commands of the contract to any assistant that speaks the Model Context Protocol: each command
// as a tool, arcs and turns of conversations and the index's status as resources, and a prompt that is a bundle.
//
// It is a client of the language server like an editor: a [Client] speaks LSP over a stream, which may lead to the
// daemon that all editors share, and a [Server] translates. Nothing is answered that the language server has not said.
package mcp
