package sharing

import (
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/threshold"
)

// device is the part of a replica whose network is on a device, such as a GPU. Parameters, updater state, updates and
// the residual stay there. The worker's messages come from it, and the values of messages go there.
type device struct {
	residual *nn.Residual
	mover    *threshold.Mover
	// home says that the parameters were last changed in this process, because the values of a step took as many bytes as
	// the parameters. The next step then copies the parameters to the device.
	home       bool
	statistics onDevice
	received   []*threshold.Message // memory for messages that wait
	waiting    int                  // received ones
	words      int                  // of their memory
	ends       []int                // of the arrays of parameters
	holding    program.Executable   // for remember
	returning  program.Executable   // for moveBack
}

// toDevice moves the residual to the network's device.
func (r *replica) toDevice() error {
	residual, err := r.net.Residual(r.encoder.Residual())
	if err != nil {
		return err
	}
	r.device = &device{residual: residual, home: true}
	for _, p := range r.net.ParamTable() {
		r.device.ends = append(r.device.ends, p.Offset+p.Size)
	}
	r.device.mover = threshold.NewMover(residual, r.device.ends)
	if r.conf.MaskMomentum {
		r.device.mover.SetMasks(masks(r.net))
	}
	return r.encoder.SetDevice(residual)
}

// fetch copies the residual from the device, if there is one.
func (d *device) fetch() error {
	if d == nil {
		return nil
	}
	return d.residual.Fetch()
}

// updates calls take with the update of each step, or with nil if it is in the encoder's residual or on the device.
func (r *replica) updates(m *data.MultiDataSet, key nn.Key, apart bool, take func(update []float32) error) (float64,
	error) {
	switch {
	case r.device != nil:
		return r.device.residual.Updates(m, key, func() error { return take(nil) })
	case apart || len(r.statistics) > 0 || r.encoder.Ledger() != nil:
		return r.net.Updates(m, key, take)
	}
	return r.net.UpdatesTo(r.encoder.Residual(), r.conf.scale, m, key, func() error { return take(nil) })
}

// encodeOnDevice encodes the update on the device, times a factor.
func (r *replica) encodeOnDevice(iteration, epoch int, times float32, measured bool) (*threshold.Message, error) {
	if err := r.moveStatistics(); err != nil {
		return nil, err
	}
	if measured {
		update, err := r.device.residual.Update()
		if err != nil {
			return nil, err
		}
		update = slices.Clone(update)
		scaled(update, times)
		r.gauge.Params(r.net, iteration, update)
	}
	return r.encoder.EncodeOnDevice(iteration, epoch, times)
}
