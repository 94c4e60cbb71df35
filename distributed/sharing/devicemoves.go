package sharing

import (
	"slices"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/threshold"
)

// mostWaiting is the number of received messages that wait on a device: it takes as many in a run.
const mostWaiting = 12

// wait makes the messages of an untrusted payload wait, after those that wait already. The worker's own wait without
// a copy. If they take more memory than the parameters, they are applied.
func (p *parameters) wait(payload []byte) error {
	d := p.device
	return eachPayload(payload, func(b []byte) error {
		if d.waiting == len(d.received) {
			d.received = append(d.received, &threshold.Message{})
		}
		m := d.received[d.waiting]
		if err := m.ReadWire(b, p.net.NumParams()); err != nil {
			return err
		}
		d.waiting++
		d.words += len(m.Entries) + len(m.Multiples) + len(m.Words)
		p.own = append(p.own, m)
		if d.waiting == mostWaiting || d.words > p.net.NumParams() {
			return p.catchUp()
		}
		return nil
	})
}

// move adds messages to the parameters on the device, or subtracts them. It returns those for which the parameters must
// be copied to this process.
func (d *device) move(adds bool, all []*threshold.Message) (rest []*threshold.Message, err error) {
	by := d.mover.Subtract
	if adds {
		by = d.mover.Add
	}
	n, err := by(all)
	if n > 0 {
		d.home = false
	}
	if n < len(all) {
		d.home = true
	}
	return all[n:], err
}

// remember copies the parameters on the device, but for the statistics.
func (d *device) remember(statistics spans) error {
	d.residual.Hold()
	return d.run(&d.holding, func() *program.Program { return d.copying(program.Params, program.Held, statistics) })
}

// moveBack copies the parameters back.
func (d *device) moveBack(statistics spans) error {
	d.home = false
	return d.run(&d.returning, func() *program.Program { return d.copying(program.Held, program.Params, statistics) })
}

// copying returns the program that copies a vector into another one, but for the statistics.
func (d *device) copying(from, to program.Vector, statistics spans) *program.Program {
	b := program.NewBuilder()
	at := 0
	for _, end := range d.ends {
		if end > at && !slices.Contains(statistics, masters.Range{From: at, To: end}) {
			b.Store(to, at, b.View(from, at, end-at))
		}
		at = end
	}
	return b.Build()
}
