package sim

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

var jobID = coordination.JobID{'s', 'i', 'm'}

const coordinatorAddress = "coordinator"

// Scenario is a world's tasks and settings.
type Scenario struct {
	Workers     int // each with PerWorker partitions
	PerWorker   int
	Minibatches int // of a partition, roughly: they differ by one or two
	Epochs      int
	Rounds      int  // of parameter averaging, after the epochs
	Depth       int  // of the averaging's tree, in levels
	Sliced      bool // workers add up the results of rounds among themselves
	Every       int  // whole results come after so many sliced rounds, and after the last one
	Settle      bool
	Config      coordination.Config // Job, Term and Partitions are filled in
	Wire        Wire
	StepTime    time.Duration // a step's usual time
	Variation   float64       // of a step's time, up or down: 0.5, for half of it, if it is 0
	Join        time.Duration // workers start within this time
	Restart     time.Duration // until a killed worker's replacement starts; 0: there is none
	Limit       time.Duration // of simulated time
	Addresses   []string      // addresses that workers advertise, in turn, instead of their own; empty: their own
	Codec       bool          // messages are encoded and decoded
	Measure     bool          // bytes are counted, and bandwidth is limited
	Padding     int           // bytes that enlarge the payloads of toy networks
}

// World is a simulated run.
type World struct {
	clock
	net    network
	seed   uint64
	random *random.Source
	s      Scenario
	trace  trace
	steps  int

	tickEvery time.Duration
	nodes     []*node // the processes, in the order of their starts
	coord     *node
	machine   *coordination.Coordinator
	numbers   numbers
	unchecked bool // it measures speed only
	ref       coordination.Reference
	params    []byte // the initial ones
	term      uint32
	saved     *save
	faults    int
	aim       aim
	began     func(*node) // called with each step, if not nil
	spoil     func(coordination.Train, *coordination.Trained)

	want    task
	history []committed
	err     error
	over    bool
	ended   error // the run failed, as told by the coordinator

	moved    time.Duration // the last progress
	longest  time.Duration // without progress
	checks   int           // of replicas
	lost     int           // incarnations
	replaced int
	updates  int
	restarts int
	stalls   int
}

type committed struct {
	entry *coordination.Entry
	term  uint32
	by    trackedReplica
}

// save is a checkpoint, and the run's history and task at that time.
type save struct {
	checkpoint []byte
	history    int
	want       task
}

// task is the progress of the run's driver.
type task struct {
	epoch    int // in training, or the next one
	round    int
	settled  bool
	start    []byte // of the round, as computed in a plain way
	kept     bool   // the workers have it
	whole    int    // the last round whose start the driver got, or made
	from     []byte // the start of that round
	settling bool
	began    bool
}

// newWorld makes a run from a seed.
func newWorld(seed uint64, s Scenario, of func(*World) numbers, print io.Writer) *World {
	w := &World{seed: seed, s: s, random: random.NewSource(random.Mix(seed, 1)), trace: trace{print: print}}
	w.net = network{clock: &w.clock, wire: s.Wire, random: random.NewSource(random.Mix(seed, 2)),
		listen: map[string]*node{}, severed: map[[2]int]time.Duration{}, codec: s.Codec, measure: s.Measure}
	w.s.PerWorker = max(1, s.PerWorker)
	w.s.Config.Partitions = s.Workers * w.s.PerWorker
	w.s.Config.Job = jobID
	if w.s.Config.Timing == (coordination.Timing{}) {
		w.s.Config.Timing = coordination.DefaultTiming()
	}
	w.numbers = of(w)
	w.params = w.numbers.begin()
	w.tickEvery = w.s.Config.Timing.Beat / 2
	w.startCoordinator()
	for i := range s.Workers {
		w.after(w.upTo(s.Join), func() { w.startWorker(i, 0) })
	}
	return w
}

// upTo draws a time below d.
func (w *World) upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(w.random.Intn(int(d)))
}

// failed records the first error.
func (w *World) failed(err error) {
	if w.err == nil {
		w.err = err
		w.trace.note(w.now, "FAILED %v", err)
	}
}

func (w *World) add(h happening) { w.clock.add(h) }

func (w *World) newNode(name string) *node {
	n := &node{clock: &w.clock, wire: w.s.Wire.Bandwidth, id: len(w.nodes), name: name, alive: true, born: w.now,
		pace: 1, conns: map[coordination.Link]*conn{}}
	w.nodes = append(w.nodes, n)
	w.net.listen[name] = n
	w.add(happening{at: w.now + w.upTo(w.tickEvery), what: ticks, node: n})
	return n
}

func (w *World) startCoordinator() {
	n := w.newNode(coordinatorAddress)
	n.act = driver{w}.acts
	w.term++
	c := w.s.Config
	c.Term = w.term
	w.ref = w.numbers.reference()
	var from *coordination.Checkpoint
	if w.saved != nil {
		var err error
		if from, err = coordination.ReadCheckpoint(w.saved.checkpoint, jobID); err != nil {
			w.failed(err)
			return
		}
		if err := w.ref.Install(from.Params); err != nil {
			w.failed(err)
		}
	}
	m, err := coordination.NewCoordinator(c, w.ref, from)
	if err != nil {
		w.failed(err)
		w.over = true
		return
	}
	n.machine, w.coord, w.machine = m, n, m
	if from == nil || !from.Open {
		w.after(0, func() { driver{w}.command(n) })
	}
}

func (w *World) startWorker(i int, attempt uint32) {
	if w.over {
		return
	}
	name := fmt.Sprintf("worker %d attempt %d", i, attempt)
	if w.net.listen[name] != nil {
		name = fmt.Sprintf("%s process %d", name, len(w.nodes))
	}
	n := w.newNode(name)
	n.attempt = attempt
	n.act = w.workerActs
	n.replica = w.numbers.replica(n)
	for p := range w.s.PerWorker {
		part := i*w.s.PerWorker + p
		n.shares = append(n.shares, coordination.Share{Partition: uint32(part), Minibatches: uint32(w.minibatches(part))})
	}
	address := n.name
	if a := w.s.Addresses; len(a) > 0 && a[i%len(a)] != "" {
		address = strings.TrimPrefix(a[i%len(a)], "none")
	}
	c := coordination.WorkerConfig{Job: jobID, Nonce: random.Mix(w.seed, uint64(n.id)), Attempt: attempt,
		Shares: n.shares, Address: address,
		Coordinator: coordinatorAddress, InFlight: w.s.Config.InFlight, Summed: w.s.Config.Summed,
		Fanout: w.s.Config.Fanout, Batch: w.s.Config.Batch,
		Statistics: w.s.Config.Statistics, Timing: w.s.Config.Timing}
	m, err := coordination.NewWorker(c, n.replica)
	if err != nil {
		w.failed(err)
		return
	}
	n.machine, n.worker = m, m
	w.trace.note(w.now, "node %d is %s", n.id, n.name)
}

// minibatches returns a partition's number of minibatches, which differs a little.
func (w *World) minibatches(partition int) int {
	return max(0, w.s.Minibatches+int(random.Mix(w.seed, uint64(partition))%3)-1)
}

// workerActs carries out an action of a worker's machine.
func (w *World) workerActs(n *node, a coordination.Action) {
	switch a := a.(type) {
	case coordination.Train:
		if n.busy {
			w.failed(fmt.Errorf("node %d starts a step while one runs", n.id))
		}
		n.busy = true
		out := n.replica.train(a)
		if w.began != nil {
			w.began(n)
		}
		if w.spoil != nil {
			w.spoil(a, &out)
		}
		v := cmp.Or(w.s.Variation, 0.5)
		d := time.Duration((1 - v + 2*v*w.random.Float64()) * float64(w.s.StepTime) * n.pace)
		w.add(happening{at: w.now + d, what: ends, node: n, event: out})
	case coordination.Failed:
		w.trace.note(w.now, "node %d: %v", n.id, a.Err)
		w.exit(n)
	case coordination.Done:
		w.exit(n)
	}
}

// exit ends a worker process after its last message. Its task is repeated, unless the run is over.
func (w *World) exit(n *node) {
	for _, c := range n.order {
		for end := range c.ends {
			if c.ends[end] == n {
				w.net.shut(n, c.links[end])
			}
		}
	}
	n.order = nil
	w.kill(n, true)
	if w.over || w.s.Restart <= 0 {
		return
	}
	w.replace(n)
}

// replace starts the next attempt of a node's task, unless another process of the task lives.
func (w *World) replace(n *node) {
	w.after(w.s.Restart/2+w.upTo(w.s.Restart), func() {
		last := n.attempt
		for _, o := range w.nodes {
			if o.replica == nil || o.shares[0] != n.shares[0] {
				continue
			}
			if o.alive {
				return
			}
			last = max(last, o.attempt)
		}
		w.replaced++
		w.startWorker(int(n.shares[0].Partition)/w.s.PerWorker, last+w.nextAttempt())
	})
}

// patience is how long a run with these faults may stand still. No wait for a peer may last until the deadlines that
// end a run.
func (w *World) patience() time.Duration {
	t := w.s.Config.Timing
	each := 3*t.Silence + t.Reconnect + t.State + t.Stream + 2*w.s.Restart + 40*w.s.StepTime
	return time.Duration(1+w.faults) * each
}

// Result is the result of a run.
type Result struct {
	Seed     uint64
	Hash     uint64 // of the trace
	Time     time.Duration
	Steps    int // of all machines
	Updates  int // committed
	Faults   int
	Lost     int           // incarnations
	Restarts int           // of the coordinator
	Checks   int           // replicas that were compared with the reference
	Longest  time.Duration // without progress
	Ended    error
}

// run handles events until the driver is done, the coordinator has failed, or the time is up.
func (w *World) run() (Result, error) {
	limit := w.s.Limit
	if limit == 0 {
		limit = 2 * time.Hour
	}
	for !w.over && w.err == nil {
		h, ok := w.next()
		if !ok || w.now > limit {
			w.failed(fmt.Errorf("the run has not ended in %v of simulated time", limit))
			break
		}
		w.happen(h)
	}
	if w.net.err != nil {
		w.failed(w.net.err)
	}
	if patience := w.patience(); w.longest > patience && w.ended == nil && !w.unchecked {
		w.failed(fmt.Errorf("nothing moved for %v, which should be at most %v", w.longest, patience))
	}
	if w.err == nil && !w.unchecked {
		w.err = w.numbers.conserve()
	}
	return Result{w.seed, w.trace.hash, w.now, w.steps, w.updates, w.faults, w.lost, w.restarts, w.checks, w.longest,
		w.ended}, w.err
}
