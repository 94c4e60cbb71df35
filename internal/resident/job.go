package resident

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/worker"
)

// Plan is a job's settings.
type Plan struct {
	// Name is the training master's name in the log.
	Name string
	// Lost says in the log what follows the loss of a worker.
	Lost      string
	Engine    engine.Engine
	Transport TransportKind // the engine's transport by default
	Network   distributed.Residents
	// MaxMessage is the size of the largest update, state or part, in bytes. The transport's limit is higher if the
	// log's batches are larger, and at least mesh.DefaultMaxMessage: a receiver only allocates memory as bytes arrive.
	MaxMessage int
	// Meet makes the workers listen, and send each other the parts of sums directly if they can reach each other.
	Meet bool
	// Config is the coordinator's. Job and Mode are filled in.
	Config coordination.Config
	// Reference must be Portable if the coordinator is in another process. After Stop it has the parameters of that
	// process's reference.
	Reference coordination.Reference
	From      *coordination.Checkpoint // nil: from the beginning
	// Work returns the engine's job. It has a task for each worker, which calls Serve and writes no rows.
	Work func(access engine.BroadcastID) (*engine.Dataset, error)
	// News, if not nil, is called with the coordinator's actions, in its host's loop. It should be quick, and may call
	// Members. The Job logs the actions.
	News func(*Job, coordination.Action)
	// Tell, if not nil, is called a few times a second while Command waits, by its goroutine, and before Command
	// returns an answer.
	Tell func()
	Log  *slog.Logger
}

// Job is a running set of workers and their coordinator. One goroutine calls its methods.
type Job struct {
	plan     Plan
	id       coordination.JobID
	seat     seat
	access   engine.Broadcast
	answers  chan coordination.Action
	served   chan error // the host has ended
	worked   chan error // the engine's job has ended
	stopHost context.CancelCauseFunc
	stopWork context.CancelCauseFunc

	mu   sync.Mutex
	here map[uint32]bool // by worker that was ever admitted: whether it is a member
	told int             // losses of which the engine told, less those of which the coordinator did
}

// tellEvery is the time between two calls of Plan.Tell.
const tellEvery = 100 * time.Millisecond

// letGo is how long workers have to end after the coordinator has dismissed them.
const letGo = 10 * time.Second

// answerTime is how long the coordinator has for its reason when its workers have ended.
const answerTime = time.Minute

// awaitEnds replaces letGo for a job that still waits for a replacement.
const awaitEnds = 800 * time.Millisecond

// Start begins a job, for as long as ctx lasts. Stop must be called.
func Start(ctx context.Context, p Plan) (*Job, error) {
	j := &Job{plan: p, here: map[uint32]bool{}, answers: make(chan coordination.Action, 4), served: make(chan error, 1),
		worked: make(chan error, 1)}
	rand.Read(j.id[:])
	if err := j.begin(ctx); err != nil {
		j.release()
		return nil, err
	}
	return j, nil
}

func (j *Job) begin(ctx context.Context) error {
	p := &j.plan
	seat, err := p.sit(ctx, j.id, j.act)
	if err != nil {
		return err
	}
	j.seat = seat
	a := j.seat.access()
	a.Coordinator = addressOf(p.Network, a.Coordinator)
	hosting, stopHost := context.WithCancelCause(context.WithoutCancel(ctx))
	work, err := j.work(ctx, a)
	if err != nil {
		stopHost(err)
		j.seat.run(hosting)
		return err
	}
	working, stopWork := context.WithCancelCause(ctx)
	j.stopHost, j.stopWork = stopHost, stopWork
	go func() { j.served <- j.seat.run(hosting) }()
	go func() {
		j.worked <- work.Collect(worker.WithLost(working, j.failed), func(int, engine.Row) error { return nil })
	}()
	return nil
}

// sit makes the coordinator. act is called with its actions.
func (p *Plan) sit(ctx context.Context, id coordination.JobID, act func(coordination.Action)) (seat, error) {
	kind := p.Transport.On(p.Engine)
	o := order{Job: id, Transport: kind.name, Network: p.Network, MaxMessage: p.messageLimit(), Meet: p.Meet,
		Config: p.Config, from: p.From}
	if p.Network.Coordinator == "" {
		return o.host(placeOf(p.Network, p.Engine), mesh.Options{Log: p.Log}, p.Reference, act)
	}
	if kind == InMemory {
		o.Transport = Secure.name
	}
	keys, err := ReadKeys(p.Network.Coordinator)
	if err != nil {
		return nil, err
	}
	return openRemote(ctx, keys, o, p.Reference, act)
}

// messageLimit returns the transport's message limit.
func (p *Plan) messageLimit() int {
	return max(mesh.DefaultMaxMessage, p.Config.MessageLimit(p.MaxMessage))
}

// work broadcasts how to reach the coordinator, and returns the engine's job.
func (j *Job) work(ctx context.Context, a access) (*engine.Dataset, error) {
	b, err := a.bytes()
	if err != nil {
		return nil, err
	}
	if j.access, err = j.plan.Engine.Broadcast(ctx, b); err != nil {
		return nil, err
	}
	work, err := j.plan.Work(j.access.ID())
	if err != nil {
		return nil, err
	}
	return work.Map(stays.With(struct{}{}).Resident()), nil
}

// stays passes rows on. Its task is resident: the engine's deadline does not apply.
var stays = engine.Register("resident.stays", func(_ *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
})

// act logs and counts an action, tells News, and queues answers to commands.
func (j *Job) act(a coordination.Action) {
	j.log(a)
	j.count(a)
	if j.plan.News != nil {
		j.plan.News(j, a)
	}
	switch a.(type) {
	case coordination.EpochDone, coordination.RoundDone, coordination.RoundLost, coordination.Settled,
		coordination.ShutDown:
		j.answers <- a
	}
}

// count records which workers are present.
func (j *Job) count(a coordination.Action) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch a := a.(type) {
	case coordination.Admitted:
		j.here[a.Peer.Worker] = true
	case coordination.Lost:
		j.here[a.Peer.Worker] = false
	}
}

// patience returns how long the workers have to end after the coordinator. A lost worker may leave a task whose
// replacement is far from ready, and would only be turned away. If all went well, there is no point in waiting for it.
func (j *Job) patience(cause error) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if cause != nil {
		return letGo
	}
	for _, here := range j.here {
		if !here {
			return awaitEnds
		}
	}
	return letGo
}

// lost logs the loss of a worker, which the engine and the coordinator notice, in any order. Only the first of them
// warns: by is 1 for the engine, -1 for the coordinator. Some engines never tell.
func (j *Job) lost(by int, attrs ...any) {
	j.mu.Lock()
	level := slog.LevelWarn
	if by*j.told < 0 {
		level = slog.LevelInfo
	}
	j.told += by
	j.mu.Unlock()
	j.plan.Log.Log(context.Background(), level, j.plan.Name+": a worker is lost; "+j.plan.Lost, attrs...)
}

func (j *Job) failed(e *engine.WorkerError) {
	j.lost(1, "worker", e.Worker, "partition", e.Partition, "attempt", e.Attempt, "step", e.Step, "cause", e.Cause)
}

// log reports workers that come and go.
func (j *Job) log(a coordination.Action) {
	log := j.plan.Log
	switch a := a.(type) {
	case coordination.Admitted:
		if a.Replaces {
			log.Info(j.plan.Name+": a worker is there again", "worker", a.Peer.Worker, "incarnation", a.Peer.Incarnation)
		}
	case coordination.Lost:
		if !a.Left { // else the engine tells
			j.lost(-1, "worker", a.Peer.Worker, "incarnation", a.Peer.Incarnation, "reason", a.Reason)
		}
	case coordination.Stalled:
		log.Warn(j.plan.Name + ": " + a.String())
	case coordination.Warn:
		log.Warn(a.Text)
	}
}

// Members lists the coordinator's members. Only News may call it.
func (j *Job) Members() []coordination.Member { return j.seat.members() }

// Traffic returns how many bytes of messages the coordinator has sent and received so far.
func (j *Job) Traffic() (sent, received uint64) { return j.seat.traffic() }

// Post gives the coordinator an event without an answer, such as SaveNow. It may be called from any goroutine.
func (j *Job) Post(e coordination.Event) { j.seat.post(e) }

// Command gives the coordinator a command, and waits for the answer. It fails if the coordinator or the job ends
// without it.
func (j *Job) Command(ctx context.Context, c coordination.Event) (coordination.Action, error) {
	j.seat.post(c)
	return j.Await(ctx)
}

// Await waits for an answer without a Command: the EpochDone of an epoch that goes on from a checkpoint.
func (j *Job) Await(ctx context.Context) (coordination.Action, error) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	late := make(chan struct{})
	for {
		select {
		case a := <-j.answers:
			j.tell()
			return a, nil
		case <-tick.C:
			j.tell()
		case err := <-j.served:
			j.served = nil
			if len(j.answers) > 0 { // the coordinator ended with the answer
				continue
			}
			if err == nil {
				err = errors.New("the coordinator of the workers has ended before its time")
			}
			return nil, err
		case err := <-j.worked:
			j.worked = nil
			switch {
			case len(j.answers) > 0:
			case err == nil: // the coordinator has dismissed them, and its reason is about to come
				l := grace.NewLimit(answerTime, func() { close(late) })
				defer l.Stop()
			default:
				return nil, err
			}
		case <-late:
			return nil, errors.New("the workers have ended before the coordinator let them go")
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (j *Job) tell() {
	if j.plan.Tell != nil {
		j.plan.Tell()
	}
}

// Stop waits for the end of job and coordinator, after the Shut command. With a cause, it ends them. It returns the
// cause, or a worker's error that explains it.
func (j *Job) Stop(cause error) error {
	defer j.release()
	if cause != nil {
		j.stopHost(cause)
	}
	if gone := (*goneError)(nil); errors.As(cause, &gone) {
		j.stopWork(cause) // the coordinator can't tell the workers
	}
	if j.served != nil {
		if err := <-j.served; err != nil && cause == nil {
			cause = err
		}
	}
	j.stopHost(nil)
	if j.worked != nil {
		patience := j.patience(cause)
		late := grace.NewLimit(patience, func() { j.stopWork(cause) })
		err := <-j.worked
		if !late.Stop() && cause == nil && patience == letGo {
			j.plan.Log.Warn("workers had to be ended: they have not followed the coordinator's word", "error", err)
		}
		// The coordinator only knows that workers are missing; the job's error says why.
		var failed *engine.WorkerError
		if errors.As(err, &failed) && cause != nil {
			cause = err
		}
	}
	j.stopWork(nil)
	return cause
}

func (j *Job) release() {
	if j.seat != nil {
		j.seat.close()
	}
	if j.access != nil {
		j.access.Release()
	}
}
