// Package mcp offers the commands of the contract to any assistant that speaks the Model Context Protocol: each command
// as a tool, arcs and turns of conversations and the index's status as resources, and a prompt that is a bundle.
//
// A [Server] only translates: what executes a command is handed in, a client of the language server as an editor is one.
// Nothing is answered that the language server has not said.
package mcp
