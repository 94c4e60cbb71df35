package distributed

import (
	"log/slog"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// process is a worker process with many slots that has the parameters.
type process struct {
	values map[engine.BroadcastID][]byte
	cache  engine.Cache
	shared engine.Process
}

func (p *process) Broadcast(id engine.BroadcastID) ([]byte, error) { return p.values[id], nil }
func (p *process) Cache() *engine.Cache                            { return &p.cache }
func (p *process) Process() *engine.Process                        { return &p.shared }

// TestEachCallHasItsReplicas checks that each call has as many replicas as it asks for, even if the workers have the
// network from an earlier call that asked for another number.
func TestEachCallHasItsReplicas(t *testing.T) {
	ctx := t.Context()
	e, err := engine.Open(ctx, "local[1]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	net, err := FromConfiguration(e, nn.Configuration{InputType: inputtype.FeedForward(2),
		Layers: []layer.Layer{layer.Output{NOut: 1, Loss: loss.MSE{}}}},
		nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	release, err := net.Hold(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	conf, err := net.Net().Configuration()
	if err != nil {
		t.Fatal(err)
	}
	w := &process{shared: engine.Process{Slots: 4}}
	defer w.shared.Cache.Clear()
	task := engine.NewTask(ctx, w, 0, 1, 1, slog.New(slog.DiscardHandler))
	made := make(map[int]*replicas)
	for _, workers := range []int{1, 3, 1, 8} {
		if err := net.SetDefaultEvaluationWorkers(workers); err != nil {
			t.Fatal(err)
		}
		a, done, err := net.borrow(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.values = map[engine.BroadcastID][]byte{a.Network: conf, a.Params: tensor.Bytes(net.Net().Params())}
		r, err := a.replicas(task)
		done()
		if err != nil {
			t.Fatal(err)
		}
		if want := min(workers, 4); cap(r.free) != want {
			t.Errorf("%d evaluation workers of 4 slots: %d replicas", workers, cap(r.free))
		}
		if made[workers] != nil && made[workers] != r {
			t.Errorf("the replicas of %d evaluation workers were made twice", workers)
		}
		made[workers] = r
	}
}
