package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/nn"
)

// pretrain trains the network's autoencoders before plain training, from the first to the last. If it is interrupted,
// nothing is kept.
func (r *Run) pretrain(ctx context.Context) error {
	start := time.Now()
	plain := r.trainer.(*plain)
	passes, end := 0, func() {}
	defer func() { end() }()
	minibatches := func() (it data.Iterator) {
		end()
		it, end = plain.minibatches(ctx, paramavg.Pass(0, passes), 0)
		passes++
		return it
	}
	net, how := r.conf.network(), r.conf.Pretraining
	names := net.Autoencoders()
	for _, name := range names {
		layer, err := net.Pretraining(name, plain.seed)
		if err == nil {
			train := earlystopping.Pretrain(layer, minibatches)
			if how.Stopping != nil {
				err = r.pretrainUntilBest(ctx, name, train)
			}
			for e := 0; e < how.Epochs && err == nil && how.Stopping == nil; e++ {
				err = train(ctx, func(float64) {})
			}
		}
		if err != nil {
			if err := r.keeper.owned(); err != nil {
				return err
			}
			return &UnfinishedError{Err: fmt.Errorf("pretraining %s: %w", name, err), Interrupted: ctx.Err() != nil,
				Left: errors.New(r.model.told())}
		}
	}
	r.conf.Listen(Pretrained{Layers: len(names), Epochs: how.Epochs, Duration: time.Since(start)})
	return nil
}

// pretrainUntilBest trains one autoencoder until a condition ends it, and restores the network of its best epoch.
func (r *Run) pretrainUntilBest(ctx context.Context, name string, train earlystopping.Train) error {
	net, how := r.conf.network(), r.conf.Pretraining
	s := how.Stopping.forPretraining(name)
	c := s.config(how.Epochs, r.heldOut.data, 0)
	c.SaveLast = false
	start := time.Now()
	c.Listen = func(e earlystopping.Epoch) {
		now := time.Now()
		told := PretrainingEpoch{Layer: name, Epoch: e.Number, Of: how.Epochs, Duration: now.Sub(start)}
		start = now
		if e.Scored {
			told.Metric = &Metric{s.Metric, e.Score, e.Best}
		}
		r.conf.Listen(told)
	}
	on := distributed.New(r.engine, net, nil, distributed.Options{Kernels: r.conf.Kernels})
	got, err := earlystopping.FitBy[*nn.Network](ctx, c, on, train)
	if err != nil {
		return err
	}
	if got.BestEpoch < 0 {
		return fmt.Errorf("it was ended by %s before the end of an epoch that could be scored", got.Details)
	}
	if err := net.SetParams(got.Best.Params()); err != nil {
		return err
	}
	r.conf.Listen(PretrainedLayer{name, Stopped{Reason: got.Reason, By: got.Details, Epochs: got.Epochs,
		BestEpoch: got.BestEpoch,
		BestScore: got.BestScore, Metric: s.Metric}})
	return nil
}
