// Package mesh carries the messages of package coordination between processes, and drives its state machines there.
//
// A Transport makes links: in memory (NewMemory), or by gRPC over TLS 1.3 (NewSecure) with certificates that are made
// for one job (Issue). Package meshtest tests the contract of transports, also for implementations elsewhere. A Host
// drives one machine, a Coordinator or a Worker. It gives the machine its events (messages on its links, ticks of the
// clock, and the process's own commands), and carries out the machine's actions.
//
// Workers dial. A worker that may feed others also listens: on a free port, under the address that a Place determines.
// The coordinator tells the others this address.
//
// Every wait here has an end: a dial (Options.Dial), a message that the peer does not take (Options.Patience), and the
// close of a link (Options.Linger). The machines decide how long a link may be silent (coordination.Timing).
package mesh
