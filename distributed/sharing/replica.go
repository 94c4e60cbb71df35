package sharing

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// replica is a worker's network, and the updates that it has not sent yet. One goroutine at a time calls its methods:
// the worker's state machine between steps, and train during a step.
type replica struct {
	task *engine.Task
	conf workerConfig
	parameters
	encoder *threshold.Encoder
	writer  writer
	feeders map[uint32]*feeder // by partition
	changes masters.Changes
	times   *stats.Collector
	gauge   *distributed.Gauge
	end     func(examples int) // ends the phase of the total time
	traffic func() (sent, received uint64)

	reported       bool   // at the end of a fit; the next one has not begun
	sent, received uint64 // in the fits before

	inherited   inheritance
	payload     []byte  // of the last minibatch, which Apply gets, too
	momenta     momenta // to be masked
	checked     bool
	joined      bool // no minibatch was trained since Install
	minibatches int
	examples    int
	score       float64
	abandoned   int
	failed      error // of a step
}

var _ coordination.Replica = (*replica)(nil)

func (r *replica) Install(params, b []byte) error {
	if len(params) != 4*r.net.NumParams() {
		return fmt.Errorf("%d bytes of parameters for a network of %d", len(params), r.net.NumParams())
	}
	if b == nil {
		return errors.New("parameters came without a state to begin with")
	}
	s, err := unpackState(b)
	if err != nil {
		return err
	}
	if err := r.net.SetUpdaterState(s.updater); err != nil {
		return err
	}
	if err := r.inherited.take(&s, r.net.NumParams()); err != nil {
		return err
	}
	r.forget()
	tensor.FromBytes(r.net.Params(), params)
	if r.device != nil {
		r.device.home = true
	}
	r.net.SetIteration(s.Iteration)
	r.joined = true
	if r.conf.MaskMomentum {
		r.momenta = momentaOf(r.net)
	}
	if r.reported {
		if err := r.renew(); err != nil {
			return err
		}
	}
	r.encoder.Drop()
	if s.Encoder == "" {
		return nil
	}
	var e threshold.EncoderState
	if err := dl4j.Unmarshal([]byte(s.Encoder), &e); err != nil {
		return err
	}
	r.encoder.SetState(e)
	return nil
}

func (r *replica) State() ([]byte, error) {
	if err := r.checkState(); err != nil {
		return nil, err
	}
	e, err := dl4j.Marshal(r.encoder.State())
	if err != nil {
		return nil, err
	}
	s := state{Iteration: r.net.Iteration(), Encoder: string(e), updater: r.net.UpdaterState()}
	r.inherited.give(&s)
	return s.pack()
}

// Report returns the residual and, at the end of a fit, also updater state and statistics. For a checkpoint, pending
// updates count as not sent.
func (r *replica) Report(open bool, pending []*coordination.Update) ([]byte, error) {
	if err := r.checkState(); err != nil {
		return nil, err
	}
	if err := r.device.fetch(); err != nil {
		return nil, err
	}
	if open {
		return r.unsent(pending)
	}
	r.inherited = inheritance{}
	r.end(r.examples)
	r.times.AddCosts(r.net.Profile().Take()...)
	r.times.Tell(r.task.Log)
	r.gauge.Report(r.net, r.task.Attempt)
	totals := r.encoder.Totals()
	out := report{Workers: 1, updater: r.net.UpdaterState(), residual: r.encoder.Residual(), Events: r.times.Record(),
		Took: r.took, Moved: totals.Sent, Lost: Losses{Dropped: totals.Dropped, Clipped: totals.Clipped,
			Abandoned: r.abandoned}}
	out.Sent, out.Received = r.traffic()
	out.Sent, out.Received = out.Sent-r.sent, out.Received-r.received
	if r.minibatches > 0 {
		out.Score, out.Scored = r.score, 1
	}
	if err := out.setThresholds(r.encoder.State().Algorithms()); err != nil {
		return nil, err
	}
	r.reported = true
	return out.pack()
}

// unsent reports for a checkpoint: the residual with the pending updates. The checkpoint counts their minibatches.
func (r *replica) unsent(pending []*coordination.Update) ([]byte, error) {
	out := report{Workers: 1, residual: r.encoder.Residual()}
	if len(pending) > 0 {
		out.residual = slices.Clone(out.residual)
		out.Ahead = map[uint32]uint32{}
	}
	for _, u := range pending {
		out.Ahead[u.Partition]++
		err := eachMessage(u.Payload, r.net.NumParams(), &r.message, func(m *threshold.Message) error {
			return r.coder.Add(m, out.residual)
		})
		if err != nil {
			return nil, err
		}
	}
	if err := out.setThresholds([]threshold.State{}); err != nil {
		return nil, err
	}
	return out.pack()
}

func (r *replica) Sum(parts [][]byte) ([]byte, error) { return sum(parts) }

func (r *replica) Abandon(*coordination.Update) { r.abandoned++ }

// step trains a minibatch and encodes its update.
func (r *replica) step(a coordination.Train) (out coordination.Trained) {
	defer func() {
		if out.Err != nil {
			out.Err = fmt.Errorf("minibatch %d of partition %d, epoch %d: %w", a.Ordinal, a.Partition, a.Epoch, out.Err)
			r.failed = masters.Explain(out.Err)
		}
	}()
	end := r.times.Begin(stats.WorkerDataSet)
	m, err := r.feeders[a.Partition].minibatch(r.task.Context(), a.Epoch, a.Ordinal)
	if err != nil {
		out.Err = engine.Permanent(err)
		return out
	}
	end(m.Examples())
	if !r.checked {
		if err := r.net.Check(m); err != nil {
			out.Err = engine.Permanent(err)
			return out
		}
		r.checked = true
	}
	end = r.times.Begin(stats.WorkerFit)
	if out.Score, out.Payload, out.Err = r.update(a, m); out.Err != nil {
		return out
	}
	end(m.Examples())
	if a.Statistics {
		if out.Statistics, out.Err = r.statisticsBytes(); out.Err != nil {
			return out
		}
	}
	r.minibatches++
	r.examples += m.Examples()
	r.score = out.Score
	if r.device == nil { // a device may still read the arrays
		r.feeders[a.Partition].spent.Give(m)
	}
	if d := r.conf.Longer; d > 0 {
		select {
		case <-time.After(d):
		case <-r.task.Context().Done():
		}
	}
	return out
}

func (r *replica) update(a coordination.Train, m *data.MultiDataSet) (score float64, payload []byte, err error) {
	key := nn.Key{Seed: r.conf.Seed, Epoch: uint64(a.Epoch),
		Example: uint64(r.conf.Starts[a.Partition] + r.feeders[a.Partition].cuts().at(int(a.Ordinal)))}
	if m, err = r.changes.Apply(m, key); err != nil {
		return 0, nil, err
	}
	if err = r.catchUp(); err != nil {
		return 0, nil, err
	}
	r.enter(int(a.Epoch))
	if err = r.inherited.enter(r.encoder, a); err != nil {
		return 0, nil, err
	}
	r.payload = nil
	steps, moves := 0, false
	first, measured := r.net.Iteration(), r.gauge.Due(r.net)
	began := time.Now()
	score, err = r.updates(m, key, measured, func(update []float32) error {
		stepped := time.Now()
		iteration := r.net.Iteration()
		message, err := r.encode(update, iteration, int(a.Epoch), measured && steps == 0)
		if err != nil {
			return engine.Permanent(r.diverged(err))
		}
		r.net.SetIteration(iteration + 1)
		if r.conf.EncodingDebug {
			r.debug()
		}
		outliers := r.encoder.Outliers()
		r.writer.append(message)
		if outliers.Form != threshold.Empty {
			r.writer.append(outliers)
		}
		steps++
		moves = moves || message.Form != threshold.Empty
		if err := r.mask(message); err != nil {
			return err
		}
		err = r.move(outliers, message)
		r.took.add(took{Steps: 1, Step: stepped.Sub(began), Encode: time.Since(stepped)})
		began = time.Now()
		return err
	})
	payload = r.writer.take()
	if steps == 1 && !moves {
		payload = nil
	}
	if back := r.moveBack(); err == nil {
		err = back
	}
	r.payload = payload
	if measured && err == nil {
		if err = r.catchUp(); err != nil {
			return score, payload, err
		}
		r.times.Measure(stats.Measurement{Name: "sharing/residualNorm", Iteration: first,
			Value: r.encoder.Statistics().Residual.Norm(r.net.NumParams())})
		err = r.gauge.Activations(r.net, first, m)
	}
	return score, payload, err
}

// enter sets the network's epoch and, where an epoch begins, its iteration. A worker that joined during an epoch has
// continued from the iteration of another one, which belongs to the updater's state, and is ahead by then.
func (r *replica) enter(epoch int) {
	if !r.joined && r.minibatches > 0 && epoch != r.net.Epoch() {
		done := (epoch - r.conf.First) * r.conf.Iterations
		r.net.SetIteration(r.conf.Begun + done*r.took.Steps/r.minibatches)
	}
	r.joined = false
	r.net.SetEpoch(epoch)
}

// encode encodes an update, which is nil if it is in the encoder's residual or on the device. measured says that its
// size is recorded.
func (r *replica) encode(update []float32, iteration, epoch int, measured bool) (*threshold.Message, error) {
	times := r.conf.scale(iteration)
	if r.device != nil {
		return r.encodeOnDevice(iteration, epoch, times, measured)
	}
	if update == nil {
		return r.encoder.EncodeAdded(iteration, epoch)
	}
	r.statistics.move(r.net.Params(), update)
	if measured {
		scaled(update, times)
		times = 1
		r.gauge.Params(r.net, iteration, update)
	}
	return r.encoder.EncodeTimes(iteration, epoch, update, times)
}

// debug logs the encoding of the last step.
func (r *replica) debug() {
	s := r.encoder.Statistics()
	r.task.Log.Info("encoded an update", "iteration", s.Iteration, "epoch", s.Epoch, "score", r.net.LastScore(),
		"form", s.Form, "threshold", s.Threshold, "values", s.Values, "sparsity", s.Sparsity,
		"residualMean", s.Residual.Mean, "residualMeanMagnitude", s.Residual.MeanMagnitude,
		"residualDeviation", s.Residual.StandardDeviation, "residualMin", s.Residual.Min, "residualMax", s.Residual.Max,
		"residualAbove", s.Residual.Above)
}

// diverged names the layer in which an update overflows.
func (r *replica) diverged(err error) error {
	var overflow *threshold.OverflowError
	if errors.As(err, &overflow) {
		return r.net.Overflowed(overflow.Index, overflow.Value)
	}
	return err
}

// checkState refuses an updater state that must not reach another worker or the network.
func (r *replica) checkState() error {
	err := r.net.CheckState()
	if err != nil {
		r.failed = engine.Permanent(err)
	}
	return err
}
