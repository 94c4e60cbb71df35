// Package mesh carries the messages of package coordination between processes, and drives its state machines there.
//
// A Transport makes links: in memory (NewMemory), or between processes that prove by certificates that they belong to
// the same job (NewSecure, Issue). Those links use gRPC over TLS 1.3, or, on one machine, a bare Unix socket. Package
// meshtest tests what every transport must do.
//
// A Host drives one machine, a Coordinator or a Worker. It gives the machine its events (messages from links, the
// clock, commands of the process) and carries out the actions that the machine returns.
//
// Workers dial. A worker that may feed others listens, too: on a free port, at the address that a Place chooses. The
// coordinator tells the other workers this address.
//
// Every wait has a limit: Options.Dial for a dial, Options.Patience for a peer that takes nothing, Options.Linger for
// the end of a link. The machines themselves decide how long a link may be silent (coordination.Timing).
package mesh
