package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/nn"
)

// pretrained trains the network's autoencoders before plain training, from the first to the last. A break before its end leaves
// nothing behind.
func (t *training) pretrained(ctx context.Context) error {
	start := time.Now()
	p := t.trainer.(*plain)
	passes := 0
	minibatches := func() data.Iterator {
		it := p.minibatches(paramavg.Pass(0, passes))
		passes++
		return it
	}
	names := t.net.Autoencoders()
	var ended []event
	for _, name := range names {
		layer, err := t.net.Pretraining(name, p.seed)
		if err == nil {
			train := earlystopping.Pretrain(layer, minibatches)
			if t.preStop.on() {
				var e event
				e, err = t.pretrainUntilBest(ctx, name, train)
				ended = append(ended, e)
			}
			for e := 0; e < t.pretrain && err == nil && !t.preStop.on(); e++ {
				err = train(ctx, func(float64) {})
			}
		}
		if err != nil {
			if err := t.owned(); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return interruptedf("no model was saved")
			}
			return fmt.Errorf("pretraining %s: %w; no model was saved", name, err)
		}
	}
	took := time.Since(start).Seconds()
	e := event{"layers": len(names), "epochs": t.pretrain, "seconds": took}
	how := "for " + plural(t.pretrain, "epoch")
	if t.preStop.on() {
		e["ended"], how = ended, fmt.Sprintf("for at most %s each", plural(t.pretrain, "epoch"))
	}
	t.out.line("pretrained %s %s, %.2f s", plural(len(names), "layer"), how, took)
	t.out.emit("pretrained", e)
	return nil
}

// pretrainUntilBest trains one autoencoder until a condition of --pretrain-stopping ends it, and leaves the network as after its
// best epoch.
func (t *training) pretrainUntilBest(ctx context.Context, name string, train earlystopping.Train) (event, error) {
	f := t.preStop
	f.layer = name
	c := f.config(t.pretrain, t.heldOut, 0)
	c.SaveLast = false
	start := time.Now()
	c.Listen = func(e earlystopping.Epoch) {
		now := time.Now()
		seconds := now.Sub(start).Seconds()
		start = now
		out := event{"layer": name, "epoch": e.Number + 1, "epochs": t.pretrain, "seconds": seconds}
		note := ""
		if e.Scored {
			out[f.metric], out["best"] = asJSON(e.Score), e.Best
			note = fmt.Sprintf("  %s %.4g", f.metric, e.Score)
		}
		if e.Best {
			note += "  best"
		}
		t.out.line("pretraining %s, epoch %d/%d%s  %.2f s", name, e.Number+1, t.pretrain, note, seconds)
		t.out.emit("pretraining", out)
	}
	on := distributed.New(t.engine, t.net.Network, nil, distributed.Options{Kernels: t.kernels.String()})
	r, err := earlystopping.FitBy[nn.Network](ctx, c, on, train)
	if err != nil {
		return nil, err
	}
	if r.BestEpoch < 0 {
		return nil, fmt.Errorf("it was ended by %s before the end of an epoch that could be scored", r.Details)
	}
	if err := t.net.SetParams(r.Best.Params()); err != nil {
		return nil, err
	}
	t.out.line("pretraining of %s ended by %s, after %s: the best is epoch %d, of %s %.4g", name, r.Details, plural(r.Epochs, "epoch"),
		r.BestEpoch+1, f.metric, r.BestScore)
	return event{"layer": name, "reason": r.Reason, "by": r.Details, "epochs": r.Epochs, "bestEpoch": r.BestEpoch + 1,
		"bestScore": asJSON(r.BestScore), "metric": f.metric}, nil
}
