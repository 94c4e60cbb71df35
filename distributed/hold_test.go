package distributed_test

import (
	"context"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// broadcasting counts the broadcasts of an engine.
type broadcasting struct {
	engine.Engine
	sent int
}

func (b *broadcasting) Broadcast(ctx context.Context, value []byte) (engine.Broadcast, error) {
	b.sent++
	return b.Engine.Broadcast(ctx, value)
}

// TestHold checks that a held network is sent to the workers once for all calls, and again when it has learnt.
func TestHold(t *testing.T) {
	ctx := t.Context()
	e := &broadcasting{Engine: onEngine(t, "local[2]")}
	plain := digitsNet(t, "mlp")
	net := distributed.New(e, plain, nil, distributed.Options{})
	d, err := distributed.FromSource(e, digits(t, "test"), 2)
	if err != nil {
		t.Fatal(err)
	}
	release, err := net.Hold(ctx)
	if err != nil {
		t.Fatal(err)
	}
	held := e.sent
	score := func() float64 {
		t.Helper()
		if _, err := net.Evaluate(ctx, d, nil, 1); err != nil {
			t.Fatal(err)
		}
		s, _, err := net.Score(ctx, d, true, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := net.Predict(ctx, d, distributed.PredictOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.Release()
		return s
	}
	before := score()
	if held == 0 || e.sent != held {
		t.Errorf("%d broadcasts to hold the network, %d with what was asked of it", held, e.sent)
	}
	plain.Params()[plain.NumParams()-1]++ // a bias of the output layer
	if after := score(); after == before || e.sent == held {
		t.Errorf("the score was %v, and is %v with other parameters", before, after)
	}
	release()
	at := e.sent
	if score(); e.sent == at {
		t.Error("a network that was released is still with the workers")
	}
}
