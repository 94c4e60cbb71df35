package sharing

import (
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/threshold"
)

// parameters are a replica's parameters, in this process or on a device. Messages move them.
type parameters struct {
	net        *nn.Network
	coder      *threshold.Coder
	device     *device // nil: the network is on the processor
	statistics spans
	message    threshold.Message    // the received one
	own        []*threshold.Message // those that wait: the worker's own and, on a device, others' after them
	moved      bool                 // a minibatch has moved the parameters for the time being
	before     []float32            // the parameters before that; empty if they are on the device
	took       took
}

// Apply subtracts another worker's messages, after the worker's own: those wait until the parameters are read or
// written anyway. On a device, the others' wait, too.
func (r *replica) Apply(e *coordination.Entry) error {
	if len(e.Payload) == 0 {
		return nil
	}
	if len(r.payload) > 0 && &e.Payload[0] == &r.payload[0] {
		r.payload = nil
		return nil
	}
	began := time.Now()
	defer func() { r.took.Apply += time.Since(began) }()
	r.took.Applied++
	if r.device != nil {
		return r.wait(e.Payload)
	}
	return eachMessage(e.Payload, r.net.NumParams(), &r.message, func(m *threshold.Message) error {
		all := append(r.own, m) // alike ones are subtracted in one pass
		r.own = r.own[:0]
		return r.coder.SubtractAll(all, r.net.Params())
	})
}

// Constrain applies the constraints without the pending updates: it adds their messages back before, and subtracts them
// afterwards.
func (p *parameters) Constrain(pending []*coordination.Update) error {
	move := func(by func(...*threshold.Message) error) error {
		for _, u := range pending {
			err := eachMessage(u.Payload, p.net.NumParams(), &p.message, func(m *threshold.Message) error { return by(m) })
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := p.catchUp(); err != nil {
		return err
	}
	if err := move(p.add); err != nil {
		return err
	}
	if err := p.net.Constrain(); err != nil {
		return err
	}
	return move(p.subtract)
}

// subtract subtracts messages from the parameters.
func (p *parameters) subtract(all ...*threshold.Message) error {
	if d := p.device; d != nil {
		var err error
		if all, err = d.move(false, all); err != nil || len(all) == 0 {
			return err
		}
	}
	return p.coder.SubtractAll(all, p.net.Params())
}

// add adds messages to the parameters.
func (p *parameters) add(all ...*threshold.Message) error {
	if d := p.device; d != nil {
		var err error
		if all, err = d.move(true, all); err != nil {
			return err
		}
	}
	for _, m := range all {
		if err := p.coder.Add(m, p.net.Params()); err != nil {
			return err
		}
	}
	return nil
}

// move applies a step's own messages if another step of the minibatch may follow. Otherwise they wait, unless the sum
// of the release has them.
func (r *replica) move(own ...*threshold.Message) error {
	switch {
	case r.net.Truncated():
		if r.conf.Summed {
			if err := r.remember(); err != nil {
				return err
			}
		}
		return r.subtract(own...)
	case !r.conf.Summed:
		r.own = append(r.own[:0], own...)
	}
	return nil
}

// mask masks the momentum of the parameters that a step's message moves.
func (r *replica) mask(message *threshold.Message) error {
	switch {
	case !r.conf.MaskMomentum:
		return nil
	case r.device != nil:
		return r.device.mover.Mask(message)
	}
	r.net.UpdaterState() // the momenta are a part of it, and may be on a device
	r.momenta.mask(message)
	return nil
}

// catchUp applies the messages that wait.
func (p *parameters) catchUp() error {
	if len(p.own) == 0 {
		return nil
	}
	began := time.Now()
	err := p.subtract(p.own...)
	p.forget()
	p.took.Apply += time.Since(began)
	return err
}

// forget drops the messages that wait.
func (p *parameters) forget() {
	p.own = p.own[:0]
	if p.device != nil {
		p.device.waiting, p.device.words = 0, 0
	}
}

// remember keeps the parameters for moveBack. It does so once in a minibatch.
func (p *parameters) remember() error {
	if p.moved {
		return nil
	}
	p.moved = true
	if d := p.device; d != nil && !d.home {
		return d.remember(p.statistics)
	}
	p.before = append(p.before[:0], p.net.Params()...)
	return nil
}

// moveBack undoes the moves of a minibatch whose updates come with the sum of the release. Statistics of batch
// normalisation stay: they are no part of updates.
func (p *parameters) moveBack() error {
	if !p.moved {
		return nil
	}
	p.moved = false
	if len(p.before) == 0 {
		return p.device.moveBack(p.statistics)
	}
	if p.device != nil {
		p.device.home = true
	}
	params := p.net.Params()
	for _, s := range p.statistics {
		copy(p.before[s.From:s.To], params[s.From:s.To])
	}
	copy(params, p.before)
	p.before = p.before[:0]
	return nil
}
