// Package mcp serves assistants that speak the Model Context Protocol: the tools of the contract,
// arcs and turns of conversations and the index's status as resources, and a prompt that is a
// bundle.
//
// Six tools are made for models ([DefaultTools]): they have few arguments, and answer with a text
// to read, its code with path:line. The others are the commands of the contract as they are, and
// answer with JSON.
//
// A [Server] only translates: what executes a command is handed in, a client of the language server
// as an editor is one. Nothing is answered that the language server has not said.
package mcp
