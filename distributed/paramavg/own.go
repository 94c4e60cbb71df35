package paramavg

import (
	"context"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// ownBroadcasts are broadcasts of the workers' own updater states.
type ownBroadcasts struct {
	ids []engine.BroadcastID // by place; none if the updater has no state
	all []engine.Broadcast
}

// broadcast sends the states of the first places. The caller releases the result, also after an error.
func (o *outerState) broadcast(ctx context.Context, e engine.Engine, places int) (b ownBroadcasts, err error) {
	if o == nil || o.net.NumStates() == 0 {
		return b, nil
	}
	sent := map[*float32]engine.BroadcastID{} // workers that have not trained share a state
	for _, s := range o.own[:places] {
		first := &s[0]
		if _, ok := sent[first]; !ok {
			one, err := e.Broadcast(ctx, tensor.AppendBytes(nil, s))
			if err != nil {
				return b, err
			}
			b.all = append(b.all, one)
			sent[first] = one.ID()
		}
		b.ids = append(b.ids, sent[first])
	}
	return b, nil
}

func (b *ownBroadcasts) release() {
	for _, one := range b.all {
		one.Release()
	}
	*b = ownBroadcasts{}
}

// ownState receives a worker's own updater state.
func ownState(t *engine.Task, id engine.BroadcastID) ([]float32, error) {
	b, err := t.Broadcast(id)
	if err != nil {
		return nil, err
	}
	if len(b)%4 != 0 {
		return nil, engine.Permanent(fmt.Errorf("a worker's own updater state has %d bytes", len(b)))
	}
	return tensor.Floats(b), nil
}

// ownStates are the updater states of a resident worker's places, with an outer optimiser.
type ownStates struct {
	from  int // the round with which its job began
	ids   []engine.BroadcastID
	parts map[[2]int]part
	held  map[int]*heldState
}

// heldState is a place's state before the last round that it trained, which may be repeated, and after it.
type heldState struct {
	round         int // the last one trained; -1 for none
	before, after []float32
}

// begin returns the state with which a place begins a round. It fails on a replacement that lacks its predecessor's
// state.
func (o *ownStates) begin(t *engine.Task, round, place int) ([]float32, error) {
	if len(o.ids) == 0 {
		return nil, nil
	}
	h := o.held[place]
	if h == nil {
		own, err := ownState(t, o.ids[place])
		if err != nil {
			return nil, err
		}
		h = &heldState{round: -1, before: own}
		o.held[place] = h
	}
	if round == h.round {
		return h.before, nil
	}
	if last := o.before(round, place); last != h.round || last >= 0 && h.after == nil {
		return nil, fmt.Errorf("the worker's own updater state after round %d went with the worker before it", last)
	}
	if h.round >= 0 {
		h.before, h.after = h.after, nil
	}
	h.round = round
	return h.before, nil
}

// before returns the last earlier round of the job in which a place has a share; -1 if there is none.
func (o *ownStates) before(round, place int) int {
	for round--; round >= o.from; round-- {
		if _, ok := o.parts[[2]int{round, place}]; ok {
			return round
		}
	}
	return -1
}

// end keeps the state with which a place ends a round.
func (o *ownStates) end(place int, net *nn.Network) {
	if h := o.held[place]; h != nil {
		h.after = slices.Clone(net.UpdaterState())
	}
}
