// Package mesh carries the messages of package coordination between processes, and drives its state machines there.
//
// A Transport makes links: in memory (NewMemory), or by gRPC over TLS 1.3 (NewSecure) with certificates that are made
// for one job (Issue). Package meshtest has what every transport must keep to, for transports of one's own, too. A Host
// gives one machine, a Coordinator's or a Worker's, its events: what comes over its links, the clock, and what the
// process itself has to say; and it does what the machine asks for.
//
// Workers dial. Of them, those listen that others may be fed by: on a port that is free, under the address that a Place
// says; the coordinator tells the others.
//
// Every wait here has an end: a dial (Options.Dial), a message that the peer does not take (Options.Patience), a link
// that is closed (Options.Linger). How long a link may be silent is for the machines to say (coordination.Timing).
package mesh
