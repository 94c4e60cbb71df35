package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed/paramavg"
)

// pretrained trains the network's autoencoders before plain training. A break before its end leaves nothing behind.
func (t *training) pretrained(ctx context.Context) error {
	start := time.Now()
	p := t.trainer.(*plain)
	passes := 0
	layers, err := t.net.Pretrain(func() data.Iterator {
		it := p.minibatches(paramavg.Pass(0, passes))
		passes++
		return until{ctx, it}
	}, t.pretrain, p.seed)
	if err != nil {
		if err := t.owned(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return interruptedf("no model was saved")
		}
		return fmt.Errorf("--pretrain: %w; no model was saved", err)
	}
	if layers == 0 {
		return usagef("--pretrain: the network has no autoencoder")
	}
	took := time.Since(start).Seconds()
	t.out.line("pretrained %s for %s, %.2f s", plural(layers, "layer"), plural(t.pretrain, "epoch"), took)
	t.out.emit("pretrained", event{"layers": layers, "epochs": t.pretrain, "seconds": took})
	return nil
}

// until ends with the context.
type until struct {
	ctx context.Context
	it  data.Iterator
}

func (u until) Next() (*data.MultiDataSet, error) {
	if err := context.Cause(u.ctx); err != nil {
		return nil, err
	}
	return u.it.Next()
}
