package sharing

import (
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/threshold"
)

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
func (r *replica) Constrain(pending []*coordination.Update) error {
	move := func(by func(...*threshold.Message) error) error {
		for _, u := range pending {
			err := eachMessage(u.Payload, r.net.NumParams(), &r.message, func(m *threshold.Message) error { return by(m) })
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.catchUp(); err != nil {
		return err
	}
	if err := move(r.add); err != nil {
		return err
	}
	if err := r.net.Constrain(); err != nil {
		return err
	}
	return move(r.subtract)
}

// subtract subtracts messages from the parameters.
func (r *replica) subtract(all ...*threshold.Message) error {
	if d := r.device; d != nil {
		var err error
		if all, err = d.move(false, all); err != nil || len(all) == 0 {
			return err
		}
	}
	return r.coder.SubtractAll(all, r.net.Params())
}

// add adds messages to the parameters.
func (r *replica) add(all ...*threshold.Message) error {
	if d := r.device; d != nil {
		var err error
		if all, err = d.move(true, all); err != nil {
			return err
		}
	}
	for _, m := range all {
		if err := r.coder.Add(m, r.net.Params()); err != nil {
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
		if err := r.remember(); err != nil {
			return err
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
func (r *replica) catchUp() error {
	if len(r.own) == 0 {
		return nil
	}
	began := time.Now()
	err := r.subtract(r.own...)
	r.forget()
	r.took.Apply += time.Since(began)
	return err
}

// forget drops the messages that wait.
func (r *replica) forget() {
	r.own = r.own[:0]
	if r.device != nil {
		r.device.waiting, r.device.words = 0, 0
	}
}

// remember keeps the parameters for moveBack, if the sum of the release moves them.
func (r *replica) remember() error {
	if !r.conf.Summed || r.moved {
		return nil
	}
	r.moved = true
	if d := r.device; d != nil && !d.home {
		return d.remember(r.statistics)
	}
	r.before = append(r.before[:0], r.net.Params()...)
	return nil
}

// moveBack undoes the moves of a minibatch whose updates come with the sum of the release. Statistics of batch
// normalisation stay: they are no part of updates.
func (r *replica) moveBack() error {
	if !r.moved {
		return nil
	}
	r.moved = false
	if len(r.before) == 0 {
		return r.device.moveBack(r.statistics)
	}
	if r.device != nil {
		r.device.home = true
	}
	params := r.net.Params()
	for _, s := range r.statistics {
		copy(r.before[s.From:s.To], params[s.From:s.To])
	}
	copy(params, r.before)
	r.before = r.before[:0]
	return nil
}
