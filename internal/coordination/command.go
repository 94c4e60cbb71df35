package coordination

// Commands of a coordinator's driver, as events. A driver sends the next command after the answer to the last one.
type (
	// Open trains an epoch; EpochDone follows. With Begin, the workers and the coordinator's reference begin with
	// Params and State, and without residuals. Without Begin they go on from their present parameters. That is an error
	// the first time and after a Round.
	Open struct {
		Epoch         uint32
		Begin         bool
		Params, State []byte
	}
	// Round is a round of parameter averaging. The workers with the partitions Shares train from Start, each on its own
	// share. The results are added up in a tree whose levels add Group neighbours. RoundDone follows.
	Round struct {
		Round  uint32
		Shares []uint32
		Group  int
		Start  []byte
		// Sliced makes the workers add up the results among themselves: each adds up one slice and gives it to all
		// others. They keep the sum. RoundDone has the sum of their reports; with Whole, also the sum of the results.
		// If a worker is lost before or during the round, RoundLost may follow instead.
		Sliced, Whole bool
		// Kept means that the workers begin with the sum that they have kept. Start is then their reports' sum.
		Kept bool
	}
	// Settle adds up the reports of all workers. Settled follows.
	Settle struct{ Group int }
	// Shut ends the workers, and then the coordinator.
	Shut struct{ Reason string }
)

// Answers to the commands, and news, as actions.
type (
	EpochDone struct{ Epoch uint32 }
	RoundDone struct {
		Round   uint32
		Payload []byte
	}
	// RoundLost says that a sliced round can't be completed: a worker that had kept the last sum, or takes part, is
	// lost. The driver repeats the rounds since the last one whose result it has.
	RoundLost struct{ Round uint32 }
	Settled   struct {
		Workers int
		Payload []byte
	}
	Admitted struct {
		Peer     Peer
		Replaces bool // an earlier life of the worker
		// Again means that the process of an earlier life starts over. Its Replica.Install counts the residual that Lost
		// made a lost one.
		Again bool
	}
	Lost struct {
		Peer      Peer
		Reason    string
		Violation bool // of the protocol: a mistake, or an attack
		Left      bool // the worker left and said why: its driver knows the reason
	}
	// Short ends an epoch that lacks workers for good: no worker came for these partitions. It follows a Save, from
	// which the other workers can go on, and precedes Failed.
	Short struct{ Partitions []uint32 }
	// Missing says that an epoch or a round can't begin: no worker came for these partitions within the time to join.
	// Failed follows. The driver may start over with the workers that came.
	Missing struct{ Partitions []uint32 }
	// Committed comes for each minibatch. Entry is shared.
	Committed struct {
		Entry *Entry
		Score float64
	}
	// CatchUp comes after the messages that release updates: the driver calls Reference.CatchUp. So workers go on before
	// the coordinator's own parameters do.
	CatchUp struct{}
	// ShutDown answers Shut. Only actions that turn away late workers follow it.
	ShutDown struct{}
)
