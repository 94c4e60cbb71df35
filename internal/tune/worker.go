package tune

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/train"
)

// trialConfig is the common part of all trials.
type trialConfig struct {
	Data, HeldOut engine.BroadcastID
	Normalizer    []byte // nil: none
	Kernels       string
}

// trainTrial trains the trials of a partition, one per row. The row of a result has the states of two networks: after
// the last epoch, and after the best one. The latter is empty if none of these epochs is the best so far.
var trainTrial = engine.Register("tune.trial",
	func(t *engine.Task, conf trialConfig, in engine.Rows, out engine.Writer) error {
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			task, states, err := unpack(row.Bytes)
			if err != nil {
				return engine.Permanent(err)
			}
			w := &working{Task: t, conf: conf, head: task}
			done, err := w.run(states)
			if err != nil {
				return err
			}
			if err := out.Write(engine.Unindexed(done)); err != nil {
				return err
			}
		}
		return nil
	})

// working is a trial on its worker.
type working struct {
	*engine.Task
	conf trialConfig
	head
	net    *nn.Network
	result head
	best   []byte
	failed error
}

func (w *working) run(states [][]byte) ([]byte, error) {
	begin := time.Now()
	distributed.Settle(w.Task, w.conf.Kernels)
	executor, err := distributed.NewExecutor(w.conf.Kernels, w.Threads, w.Log)
	if err != nil {
		return nil, err
	}
	defer executor.Close()
	if w.net, err = nn.Replica(w.Configuration); err != nil {
		return nil, engine.Permanent(err)
	}
	defer w.net.Close()
	if len(states) == 0 {
		w.net.Init(uint64(w.Seed))
	} else if err := adopt(w.net, states[0]); err != nil {
		return nil, engine.Permanent(err)
	}
	w.net.SetExecutor(executor)
	err = w.train()
	diverged := (*nn.DivergedError)(nil)
	switch {
	case w.failed != nil:
		err = w.failed
	case errors.As(err, &diverged):
		w.result.Diverged, err = diverged.Error(), nil
	}
	if err != nil {
		return nil, err
	}
	w.result.Seconds = time.Since(begin).Seconds()
	if w.result.Diverged != "" {
		return w.result.pack()
	}
	last, err := stateOf(w.net)
	if err != nil {
		return nil, err
	}
	return w.result.pack(last, w.best)
}

// train trains the remaining epochs, like dl4go train --training plain.
func (w *working) train() error {
	ctx := w.Context()
	e, err := engine.Open(ctx, "local[1]", engine.Options{Threads: w.Threads, Log: w.Log, TaskDeadline: Deadline})
	if err != nil {
		return err
	}
	defer e.Close()
	c := train.Config{Network: w.net, Engine: e, Batch: w.Batch, Epochs: w.Epochs - w.net.Epoch(), Seed: w.Seed,
		Kernels: w.conf.Kernels, Listen: w.listen, Log: w.Log}
	if c.Data, err = sharedData(w.Task, w.conf.Data); err != nil {
		return err
	}
	if c.HeldOut, err = sharedData(w.Task, w.conf.HeldOut); err != nil {
		return err
	}
	if w.conf.Normalizer != nil {
		n, err := data.ReadNormalizer(bytes.NewReader(w.conf.Normalizer), int64(len(w.conf.Normalizer)))
		if err != nil {
			return engine.Permanent(err)
		}
		c.Normalizer = n
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	_, err = train.Fit(ctx, c)
	var u *train.UnfinishedError
	if errors.As(err, &u) && u.Interrupted {
		return context.Cause(ctx)
	}
	return err
}

// listen records the results of an epoch.
func (w *working) listen(ev train.Event) {
	ended, is := ev.(train.EpochEnded)
	if !is || w.failed != nil {
		return
	}
	finite := func(x *float64) *float64 {
		if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
			return nil
		}
		return x
	}
	score := ended.Score
	e := Epoch{Score: finite(&score), Loss: finite(ended.HeldOut), Accuracy: finite(ended.Accuracy), R2: finite(ended.R2),
		MAE: finite(ended.MAE)}
	w.result.Trained = append(w.result.Trained, e)
	if e.Loss == nil || w.Before != nil && e.compare(*w.Before, w.Metric) >= 0 {
		return
	}
	w.Before = &e
	w.best, w.failed = stateOf(w.net)
}
