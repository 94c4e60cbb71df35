// Package coordination is the algorithm of gradient sharing (Strom, "Scalable Distributed DNN Training Using Commodity
// GPU Cloud Computing", Interspeech 2015; Deeplearning4j's SharedTrainingMaster), and of parameter averaging over the
// same resident workers, as pure state machines: a Coordinator and Workers. Step takes an event in (a message, a tick,
// a step that has ended) and gives actions out. Inside there are no sockets, goroutines, clocks or random numbers, and
// nothing depends on the order of a map, so package sim can run thousands of workers with any fault, from a seed.
//
// A Coordinator is made of parts, each with its own state: the roster of members, the journal (log and reference), the
// tree that feeds the log on, the pace of commits, epochs, gatherings (sums), the handover of states, the watch over
// waits, and saves. A part knows those that it is made of. The Coordinator takes events to them, and does what concerns
// several.
//
// # The log
//
// All that replicas do to their parameters, they do in one order: that of the coordinator's log. A step's update goes
// to the coordinator (Update); it commits it by giving it a position in the log, and everybody applies the log's
// entries (UpdateEntry) in turn. Only the sender applies its update at once, and recognises it when it comes by in the
// log. So an update that is not committed has been applied by its sender alone, and is gone when the sender dies: there
// is nothing to be undone elsewhere. How far a replica is is one number, its position. Exactly once follows from
// positions, for replicas, and from sequence numbers, for the coordinator:
//
//   - An incarnation is a worker's life from its admission to its end; it is named by Peer. Its updates are numbered by
//
// Seq
//
//	  from 1 without gaps. The coordinator accepts number n+1 after n, and takes a lower one for a repetition. After its
//	  link broke, a worker sends again what it has not seen in the log.
//	- A minibatch is (epoch, partition, ordinal). A partition belongs to one incarnation at a time and is trained in
//
// order,
//
//	  so what is committed of it is a prefix, and its length is all that a replacement needs to skip it.
//	- An incarnation that has ended commits nothing any more, wherever its messages are. If its process lives, it comes
//	  back as a new incarnation, with the coordinator's parameters, without a residual, and gives up (Abandon) what
//	  was not committed: Welcome.Committed tells it how much was.
//
// The coordinator applies what it commits to reference parameters of its own (Reference). They are the model that the
// client gets, and what a joiner begins with.
//
// # Who feeds whom
//
// Every worker has a link to the coordinator for all that is small: greetings, beats, updates. The log comes from a
// parent: the coordinator (Plain), or another worker (Mesh), which passes entries on before it applies them. The
// coordinator keeps the tree: it names parents (Follow); the child calls the parent and says where it is (Attach); the
// parent sends from there (Log), one message at a time on a link, so that the entries which came up meanwhile share the
// next one. An origin gets its own entries without the payload. A child whose parent ends, can't be reached, lacks what
// it needs or is silent while there is something to be had complains (Orphan) and is given another one; the coordinator
// feeds those that nobody else can. As all parents have the same log, a change of parent needs no agreement.
//
// Updates go up directly, not through the tree: that costs the coordinator no more bytes, as nothing is added up on the
// way, and spares relays the care for other people's updates.
//
// # Joining
//
//	worker                      coordinator
//	Hello ------------------->  checks job, partitions and attempt; a higher attempt, or a later process of the same one,
//	                            ends who holds its partitions
//	        <-----------------  Welcome{Peer}
//	                            StateRequest to a live worker, which answers State between two steps; to others if
//	                            that takes long. While one lives, no older state stands in for theirs
//	        <-----------------  Snapshot: the reference, that state, how far its partitions are, a position of the log
//	        <-----------------  Follow
//	Attach ------------------>
//
// As long as nothing was committed since the last BaseEntry or RoundEntry, no Snapshot is needed: the joiner begins
// before that entry (Welcome.Fresh). So the first workers of a run get their parameters down the tree. A process whose
// link broke greets with its old Peer and is welcomed as what it was (Resumed), if it comes within Timing.Reconnect.
//
// # Epochs
//
// Open puts an OpenEntry into the log, before it a BaseEntry with parameters if all are to start over. When the last
// minibatch is committed, the statistics that no gradient moves are averaged (StatisticsEntry, also every so many
// minibatches: workers send theirs beside an update now and then), and a ClosedEntry follows. When every worker has
// applied it, all replicas agree, and the epoch is done.
//
// The constraints of a network (norms, signs) can't go into updates, of which several are added up. Everybody holds the
// parameters to them at the same positions of the log (ConstrainEntry), after each step of all workers. A worker takes
// its updates that are not committed out before, and puts them back: to everybody else, they come behind.
//
// # Adding up
//
// A round of parameter averaging is a RoundEntry with the parameters to begin with and the list of shares. The owner of
// each share trains it; results are added up in a tree over places in the list (see gathering), by the owners of the
// tree's nodes, in an order that depends on the list and the group size alone. Part carries a sum to the owner of the
// next node, whom the coordinator names (Target), and is answered by Got. A replacement for a dead worker begins before
// the RoundEntry, trains its share again and takes its nodes over; those who gave it parts give them again. A
// SettleEntry adds up in the same way what all workers report, at the end of a fit: their updater and threshold states.
// There no replacement can stand in, so when a worker dies the settlement starts over without it. Parts for somebody
// who can't be reached go by way of the coordinator. Whoever gave a round's result is not sent it again for the next
// one.
//
// # Restarts
//
// A Checkpoint (Save) has the reference, a worker's state, and how far each partition is. A coordinator that begins
// from one has a new Term: every worker that outlived the old coordinator joins as a new incarnation, and what was
// committed after the checkpoint is trained again. For rounds nothing needs to be saved but the last result.
//
// A checkpoint of an epoch under way also has the sum of what the workers report: their residuals, and their updates
// that are pending where a SettleEntry cuts the log. In Lockstep that entry ends a release, when nobody has a pending
// update, and commits wait for the sum. Otherwise they go on, and the checkpoint is of the cut. Who is silent does not
// take part. Where one that does goes meanwhile, the settlement starts over.
//
// # Waiting
//
// Every wait has an end (Timing). A worker is dead when its link broke and it did not come back (Reconnect), when
// nothing was heard of it (Silence), when it does not get its step done (Step). A run ends with a *DeadlineError
// when a partition has no worker for too long (Absence) or too few come (Join), which is counted from the arrival
// of the first one: before that, the engine may have rows to move for long (Begin). A worker that hears nothing of
// its coordinator ends itself (Orphan). An epoch whose partition has no worker for too long ends with a Save, from
// which its driver can go on with fewer (Short). A coordinator that has ended tells whoever comes late, such as a
// replacement, that the run is over, for as long as its driver lets it. Where nothing has moved for a while,
// Stalled says who is waited for. What fails again and again ends the run with its cause: a partition whose workers
// give up Config.Attempts times without having committed anything in between. A machine that did not run itself for
// a while, as its process was stopped, forgives the others that time.
//
// Updates that came are committed one by one as they come, or, in Lockstep, when everybody who is there has sent
// one. Those are a release then. Each of its entries but the last says that More follow, as a release may take
// several messages, and a replica begins no step before it has applied the whole release. So each step begins with
// all updates of the one before.
//
// Nobody runs ahead without bound: a worker has at most InFlight updates that are not committed, and the coordinator
// commits none while the slowest replica that is there lacks more than Lag entries per worker, or the sender's
// partitions are more than Lead minibatches ahead of the slowest. A worker of which nothing was heard for Timing.Quiet
// is not waited for; the log is kept for it up to Retain bytes.
//
// # Invariants
//
// These are what package sim checks after each schedule:
//
//   - Each minibatch of an epoch is committed exactly once, and each (Peer, Seq) at most once.
//   - After an epoch, each replica contains each committed update exactly once, and nothing else.
//   - What steps have given is applied, in residuals, clipped, or counted as lost by whoever lost it.
//   - A checkpoint with its reports has each step of the minibatches that it counts once, of the workers that reported.
//   - A round's result is, to the bit, the sum in the tree's order of what its shares give.
//   - A run ends: done, or with an error that names a peer or a partition; no peer breaks the protocol; and no fault
//
// makes the
//
//	  others wait for a deadline that is meant to end runs.
//	- The same seed gives the same trace.
package coordination
