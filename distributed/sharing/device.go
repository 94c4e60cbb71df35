package sharing

import (
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/threshold"
)

// device is the part of a replica whose network is on a device, such as a GPU. Updates and the residual stay there, and
// are encoded there: a message comes back.
type device struct {
	residual *nn.Residual
	apart    program.Executable // takes the statistics out of the update; nil if there are none
}

// toDevice moves the residual to the network's device.
func (r *replica) toDevice() error {
	residual, err := r.net.Residual(r.encoder.Residual())
	if err != nil {
		return err
	}
	d := &device{residual: residual}
	if len(r.statistics) > 0 {
		if d.apart, err = residual.Compile(r.statistics.apart()); err != nil {
			return err
		}
	}
	r.device = d
	return r.encoder.SetDevice(residual)
}

// fetch copies the residual from the device, if there is one.
func (d *device) fetch() error {
	if d == nil {
		return nil
	}
	return d.residual.Fetch()
}

// updates calls take with the update of each step, or with nil if it is on the device.
func (r *replica) updates(m *data.MultiDataSet, key nn.Key, take func(update []float32) error) (float64, error) {
	if r.device == nil {
		return r.net.Updates(m, key, take)
	}
	return r.device.residual.Updates(m, key, func() error { return take(nil) })
}

// encodeOnDevice encodes the update on the device, times a factor.
func (r *replica) encodeOnDevice(iteration, epoch int, times float32, measured bool) (*threshold.Message, error) {
	d := r.device
	if d.apart != nil {
		if err := d.residual.Run(d.apart); err != nil {
			return nil, err
		}
		r.statistics.moveBy(r.net.Params(), d.apart.Output(0))
	}
	if measured {
		update, err := d.residual.Update()
		if err != nil {
			return nil, err
		}
		update = slices.Clone(update)
		scaled(update, times)
		r.gauge.Params(r.net, iteration, update)
	}
	return r.encoder.EncodeOnDevice(iteration, epoch, times)
}

// apart returns the program that takes the statistics' part out of an update. Its output is that part.
func (s spans) apart() *program.Program {
	b := program.NewBuilder()
	var parts []*program.Value
	for _, r := range s {
		parts = append(parts, b.View(program.Update, r.From, r.To-r.From))
		b.Store(program.Update, r.From, b.Fill(0, r.To-r.From))
	}
	b.Output("statistics", b.Concat(0, parts...))
	return b.Build()
}

// moveBy applies the statistics' part of an update.
func (s spans) moveBy(params, part []float32) {
	for _, r := range s {
		for i := r.From; i < r.To; i++ {
			params[i] -= part[i-r.From]
		}
		part = part[r.To-r.From:]
	}
}
