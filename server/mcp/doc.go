// Package mcp serves assistants that use the Model Context Protocol: the tools of the contract,
// arcs and turns of conversations and the index's status as resources, a prompt that is a bundle,
// and a skill.
//
// Six tools are made for models ([DefaultTools]): they have few arguments, and answer with a
// readable text whose code has path:line. The others are the commands of the contract unchanged,
// and answer with JSON.
//
// A [Server] only translates: the caller supplies the function that executes a command, a client of
// the language server as an editor is one. Every answer comes from the language server.
package mcp
