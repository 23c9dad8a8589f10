// Package remote carries a command that a person typed to the process that runs it: its arguments,
// what it may know of where it was typed, its three standard streams and its exit code, over one
// connection.
//
// [Run] is the side of the person's process, [Serve] that of the process that has the stores open.
// The command itself is not known here. It sees streams that behave as the person's own:
//
//   - A write returns when the person's stream has taken it, with the error that the stream gave. So nothing is printed
//     after a pipe was closed, an error has the same text, and a reader that rests makes the command wait.
//   - A read asks for input when it is called and not before: what the command does not read stays where it is.
//   - Where the person's process is stopped by a signal, the command's context ends, and what it says of that is printed.
//     Where the process is gone, the context ends too, and reads and writes fail.
//
// The wire: both sides send frames of a kind (one byte), the length of what follows (four bytes,
// big-endian) and that. The person's side begins with a request in JSON; the command's side ends
// with an exit code, or refuses at once. Everything has a bound, and neither side believes the
// other in what it could be hurt by.
package remote
