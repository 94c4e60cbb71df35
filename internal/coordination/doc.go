// Package coordination is the algorithm of gradient sharing (Strom, "Scalable Distributed DNN Training Using Commodity
// GPU Cloud Computing", Interspeech 2015; Deeplearning4j's SharedTrainingMaster), and of parameter averaging over the
// same resident workers. It consists of pure state machines: a Coordinator and Workers. Step takes an event (a message,
// a tick, the end of a training step) and returns actions. The machines have no sockets, goroutines, clocks or random
// numbers, and nothing depends on the order of a map. So package sim can run thousands of workers with any fault,
// reproducibly from a seed.
//
// A Coordinator is made of parts, each with its own state: the roster of members, the journal (log and reference), the
// tree that distributes the log, the pace of commits, epochs, gatherings (sums), the handover of states, the watch over
// waits, and saves. A part knows the parts that it is made of. The Coordinator hands them the events, and does whatever
// concerns several of them.
//
// # The log
//
// All replicas change their parameters in the same order: the order of the coordinator's log. A worker sends the update
// of each step to the coordinator (Update). The coordinator commits the update by giving it a position in the log, and
// every worker applies the log's entries (UpdateEntry) in turn. Only the sender applies its update at once, and
// recognises it when it appears in the log. So only its sender has applied an uncommitted update. If the sender dies,
// the update is gone, and no other worker has anything to undo. One number, its position, says how far a replica is.
// (In a Summed job, see below, no worker applies a single update.) Positions give replicas exactly-once semantics, and
// sequence numbers give them to the coordinator:
//
//   - An incarnation is a worker's life from its admission to its end; a Peer names it. Its updates are numbered by Seq
//     from 1 without gaps. The coordinator accepts number n+1 after n, and takes a lower number for a repetition. After
//     its link broke, a worker sends the updates again that it has not seen in the log.
//   - A minibatch is (epoch, partition, ordinal). A partition belongs to one incarnation at a time and is trained in
//     order. So its committed minibatches are a prefix, and a replacement only needs the prefix's length to skip it.
//   - An incarnation that has ended commits nothing more, even if its messages are still on their way. If its process
//     lives, it comes back as a new incarnation, with the coordinator's parameters and without a residual. It gives its
//     uncommitted updates up (Abandon); Welcome.Committed tells it how many were committed.
//
// The coordinator applies committed updates to reference parameters of its own (Reference). They are the model that the
// driver gets, and the parameters that a joiner begins with.
//
// # The tree
//
// Every worker has a link to the coordinator for everything small: greetings, beats, updates. The log comes from a
// parent: the coordinator (Plain), or another worker (Mesh), which passes entries on before it applies them. The
// coordinator keeps the tree and names parents (Follow). The child calls its parent and says where its log ends
// (Attach). The parent sends the log from there (Log), one message at a time on a link, so that entries that come up
// meanwhile share the next message. The sender of an update gets the update's entry without the payload. A child
// complains (Orphan) if its parent ends, can't be reached, lacks the entries that it needs, or is silent although there
// are new entries. Then it gets another parent; the coordinator feeds the workers that no other worker can feed. As all
// parents have the same log, a change of parent needs no agreement.
//
// Updates go straight to the coordinator, not up the tree. That costs the coordinator no more bytes, as nothing is
// added up on the way, and relays need not care for other workers' updates.
//
// # Joining
//
//	worker                      coordinator
//	Hello ------------------->  checks job, partitions and attempt; a higher attempt, or a later process of the same one,
//	                            ends the present holder of its partitions
//	        <-----------------  Welcome{Peer}
//	                            StateRequest to a live worker, which answers State between two steps; to others if
//	                            that takes long. While one lives, no older state stands in for theirs
//	        <-----------------  Snapshot: the reference, that state, how far its partitions are, a position of the log
//	        <-----------------  Follow
//	Attach ------------------>
//
// As long as nothing was committed since the last BaseEntry or RoundEntry, no Snapshot is needed: the joiner begins
// before that entry (Welcome.Fresh). So the first workers of a run get their parameters down the tree. A process whose
// link broke greets with its old Peer. If it comes within Timing.Reconnect, it goes on as that Peer (Resumed).
//
// # Epochs
//
// Open puts an OpenEntry into the log, after a BaseEntry with parameters if all are to start over. After the last
// minibatch is committed, the coordinator averages the statistics that no gradient moves (StatisticsEntry), and appends
// a ClosedEntry. It also averages statistics every so many minibatches, as workers send theirs beside an update now and
// then. When every worker has applied the ClosedEntry, all replicas agree, and the epoch is done.
//
// The constraints of a network (norms, signs) can't go into updates, as several updates are added up. All replicas
// apply the constraints to their parameters at the same positions of the log (ConstrainEntry), after each step of all
// workers. A worker takes its uncommitted updates out first, and puts them back afterwards: for all other replicas they
// come after the entry.
//
// # Adding up
//
// A round of parameter averaging is a RoundEntry with the initial parameters and the list of shares. The owner of each
// share trains it. The results are added up in a tree over places in the list (see gathering), by the owners of the
// tree's nodes, in an order that depends on the list and the group size alone. Part carries a sum to the owner of the
// next node, which the coordinator names (Target), and Got answers it. A replacement for a dead worker begins before
// the RoundEntry, trains its share again and takes over its nodes; the workers that had sent parts to the dead one send
// them again. A SettleEntry adds up the reports of all workers in the same way at the end of a fit: their updater and
// threshold states. No replacement can stand in there, so when a worker dies the settlement starts over without it.
// Parts for a worker that can't be reached go by way of the coordinator. The worker that sent a round's result does not
// receive it again for the next round.
//
// In a sliced round, the workers add up their results among themselves. The RoundEntry names the owners of the shares.
// Each worker owns a slice of the vectors: it gets that piece of all results (Part with a Slice), adds the pieces up in
// the order of the tree, and sends the sum to all others. With all sums, a worker gives its reports, which have no
// vectors, to the tree. The workers keep the sums, and the next round may begin with them (Kept). If a worker is lost
// that takes part or has kept a sum, the coordinator gives the round up (RoundLost), and the driver repeats the rounds
// since the last one whose result it has (Whole).
//
// # Restarts
//
// A Checkpoint (Save) has the reference, a worker's state, and how far each partition is. A coordinator that begins
// from a checkpoint has a new Term. Every worker that outlived the old coordinator joins as a new incarnation, and
// minibatches that were committed after the checkpoint are trained again. Rounds only need the last result to be saved.
//
// A checkpoint of an epoch under way also has the sum of the workers' reports: their residuals, and their updates that
// are pending where a SettleEntry cuts the log. In Lockstep that entry ends a release, when no worker has a pending
// update, and commits wait for the sum. Otherwise commits go on, and the checkpoint is of the cut. A silent worker does
// not take part. If a participant leaves meanwhile, the settlement starts over.
//
// # Waiting
//
// Every wait has an end (Timing). A worker is dead when its link broke and it did not come back (Reconnect), when it is
// silent (Silence), or when it does not finish its step (Step). A run ends with a *DeadlineError when a partition has
// no worker for too long (Absence) or too few workers come (Join). Join counts from the arrival of the first worker:
// before that, the engine may have rows to move for long (Begin). A worker ends itself if its coordinator is silent
// (Orphan). An epoch whose partition has no worker for too long ends with a Save, from which its driver can go on with
// fewer workers (Short). A coordinator that has ended tells late workers, such as a replacement, that the run is over,
// for as long as its driver lets it. When nothing has moved for a while, Stalled names the peers that the run waits
// for. A failure that recurs ends the run with its cause: a partition whose workers give up Config.Attempts times
// without having committed anything in between. A machine that did not run for a while, as its process was stopped,
// forgives the others that time.
//
// Updates are committed one by one as they come, or, in Lockstep, when every worker that is present has sent one. Those
// updates together are a release. Each of its entries but the last says that More follow, as a release may take several
// messages, and a replica begins no step before it has applied the whole release. So each step begins with all updates
// of the one before.
//
// In a Summed job, the updates' entries have no payloads. They only say what is committed. A SumEntry follows with the
// sum, which the Reference makes of the payloads. No replica applies a single update, not even its own. So all replicas
// have the same bits, and what a worker receives for a step does not grow with the updates of the others.
//
// No worker runs ahead without bound. A worker has at most InFlight uncommitted updates. The coordinator commits no
// update while the slowest present replica lacks more than Lag entries per worker, or while the sender's partitions are
// more than Lead minibatches ahead of the slowest. The others don't wait for a worker that has been silent for
// Timing.Quiet; the log is kept for it up to Retain bytes.
//
// # Invariants
//
// Package sim checks these after each schedule:
//
//   - Each minibatch of an epoch is committed exactly once, and each (Peer, Seq) at most once.
//   - After an epoch, each replica contains each committed update exactly once, and nothing else.
//   - Everything that steps have computed is applied, in residuals, clipped, or counted as lost by the worker that lost
//     it.
//   - A checkpoint with its reports has each step of the minibatches that it counts once, of the workers that reported.
//   - A round's result is, to the bit, the sum of its shares' results in the tree's order.
//   - A run ends: done, or with an error that names a peer or a partition. No peer breaks the protocol, and no fault
//     makes the others wait for a deadline that is meant to end runs.
//   - The same seed gives the same trace.
package coordination
