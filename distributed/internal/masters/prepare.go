package masters

import (
	"context"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// prepared is kept from one fit for the next one.
type prepared struct {
	data     *distributed.Data // the fit's data
	from     *distributed.Data // the data to train from: exported, or the same
	exported *distributed.Exported
	net      *nn.Network
	network  engine.Broadcast
}

// Fits reports whether Prepare was called for this network and this data. If not, Close first.
func (b *Base) Fits(net *nn.Network, d *distributed.Data) bool {
	return b.ready.data == d && b.ready.net == net
}

// Prepare broadcasts the network, and exports the data in files of a minibatch, unless that is already done. It returns
// the data to train from, and whether this is the first fit with the network.
func (b *Base) Prepare(ctx context.Context, net *nn.Network, d *distributed.Data, batch int) (
	from *distributed.Data, first bool, err error) {
	r := &b.ready
	if first = r.network == nil; first {
		end := b.Times.Begin(stats.MasterBroadcast)
		conf, err := net.Configuration()
		if err != nil {
			return nil, first, err
		}
		if r.network, err = d.Engine().Broadcast(ctx, conf); err != nil {
			return nil, first, err
		}
		end(0)
		r.net = net
	}
	if r.data == d {
		return r.from, first, nil
	}
	r.from = d
	if b.Approach == distributed.Export && !d.Saved() {
		end := b.Times.Begin(stats.MasterExport)
		files, err := d.ExportForTraining(ctx, b.ExportDirectory, batch, b.KeepExported, b.Log)
		if err != nil {
			return nil, first, err
		}
		r.exported, r.from = files, files.Data
		end(0)
	}
	r.data = d
	return r.from, first, nil
}

// Close releases the broadcast network, and removes exported files unless KeepExported is set.
func (b *Base) Close() error {
	r := b.ready
	b.ready = prepared{}
	if r.network != nil {
		r.network.Release()
	}
	if r.exported == nil || b.KeepExported {
		return nil
	}
	return r.exported.RemoveAtEnd()
}
