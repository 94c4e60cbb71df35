package sharing

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// reference is the coordinator's parameters, which become the network's, with statistics of the applied updates.
type reference struct {
	size       int
	params     []float32 // none before Install
	statistics spans
	coder      *threshold.Coder
	message    threshold.Message
	kernels    string // of the coder
	stale      bool   // a twin has trained on from the parameters

	configuration []byte      // of a network that has constraints
	net           *nn.Network // made from configuration, with params

	release *release // nil if each update is released

	account
}

// twin is the settings for the reference of a coordinator in another process.
type twin struct {
	Params     int
	Statistics [][2]int // from and to
	Kernels    string
	Network    []byte `json:",omitempty"` // see reference.configuration
	Summed     bool   `json:",omitempty"`
	Dense      bool   `json:",omitempty"` // of sums
}

var references = resident.RegisterReference("sharing", func(settings []byte) (resident.Portable, error) {
	var t twin
	if err := json.Unmarshal(settings, &t); err != nil {
		return nil, err
	}
	if t.Params < 1 || t.Params > maxParams {
		return nil, fmt.Errorf("a network of %d parameters", t.Params)
	}
	r, err := newReference(t.Params, t.Kernels, t.Network, t.Summed, t.Dense)
	if err != nil {
		return nil, err
	}
	for _, s := range t.Statistics {
		if s[0] < 0 || s[1] < s[0] || s[1] > t.Params {
			return nil, fmt.Errorf("statistics in the parameters %d to %d of %d", s[0], s[1], t.Params)
		}
		r.statistics = append(r.statistics, masters.Range{From: s[0], To: s[1]})
	}
	return r, nil
})

// newReference makes a reference without parameters. configuration is that of a network with constraints, or nil.
// summed means that a release is the sum of its updates, and dense that the message of the sum is dense.
func newReference(params int, kernels string, configuration []byte, summed, dense bool) (*reference, error) {
	coder, err := threshold.NewCoderFor(1, kernels)
	if err != nil {
		return nil, err
	}
	r := &reference{size: params, coder: coder, kernels: kernels, configuration: configuration}
	if summed {
		r.release = &release{sum: threshold.NewSum(coder, params), dense: dense}
	}
	if configuration == nil {
		return r, nil
	}
	if r.net, err = nn.Replica(configuration); err != nil {
		return nil, err
	}
	on, err := cpu.ParseKernels(kernels)
	if err != nil {
		return nil, err
	}
	r.net.SetExecutor(cpu.New(cpu.Options{Threads: 1, Kernels: on}))
	return r, nil
}

// maxParams is more than the parameters of any network that fits into a message.
const maxParams = 1 << 30

// Twin returns the settings from which another process makes the same reference.
func (r *reference) Twin() (resident.ReferenceKind, []byte) {
	t := twin{Params: r.size, Kernels: r.kernels, Network: r.configuration, Summed: r.release != nil,
		Dense: r.release != nil && r.release.dense}
	for _, s := range r.statistics {
		t.Statistics = append(t.Statistics, [2]int{s.From, s.To})
	}
	b, _ := json.Marshal(t) // of numbers and a name: it does not fail
	return references, b
}

// Account encodes the account: six numbers of 8 bytes.
func (r *reference) Account() []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, accountBytes), uint64(r.updates))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.steps))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.bytes))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.values))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.released))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(r.threshold))
}

const accountBytes = 6 * 8

// SetAccount decodes the result of Account.
func (r *reference) SetAccount(b []byte) error {
	if len(b) != accountBytes {
		return fmt.Errorf("an account of %d bytes, wanted %d", len(b), accountBytes)
	}
	r.stale = true
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	r.account = account{int(number(0)), int(number(1)), int64(number(2)), int64(number(3)),
		int64(number(4)), math.Float64frombits(number(5))}
	return nil
}

// account is statistics of the committed updates.
type account struct {
	updates   int     // minibatches
	steps     int     // of the minibatches
	bytes     int64   // of their messages
	values    int64   // in them
	released  int64   // bytes of the releases
	threshold float64 // mean magnitude of the last update that was not empty
}

var _ resident.Portable = (*reference)(nil)

func (r *reference) Install(params []byte) error {
	if len(params) != 4*r.size {
		return fmt.Errorf("%d bytes of parameters for a network of %d", len(params), r.size)
	}
	if r.params == nil {
		r.params = make([]float32, r.size)
		if r.net != nil {
			if err := r.net.Adopt(r.params, nil); err != nil {
				return err
			}
		}
	}
	tensor.FromBytes(r.params, params)
	r.stale = false
	return nil
}

func (r *reference) Apply(e *coordination.Entry) error {
	if several(e.Payload) { // the last message may be damaged: then nothing may be changed
		if err := checkMessages(e.Payload, r.size, &r.message); err != nil {
			return err
		}
	}
	steps := 0
	err := eachMessage(e.Payload, r.size, &r.message, func(m *threshold.Message) error {
		if err := r.take(m); err != nil {
			return err
		}
		steps++
		if m.Form != threshold.Empty {
			r.values += int64(m.Count)
			r.threshold = m.Moved() / float64(m.Count)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.updates++
	r.steps += max(1, steps)
	r.bytes += int64(len(e.Payload))
	if r.release != nil {
		r.release.payloads = append(r.release.payloads, e.Payload...)
	} else {
		r.released += int64(len(e.Payload))
	}
	return nil
}

// take subtracts a message from the parameters, or adds it to the release's sum.
func (r *reference) take(m *threshold.Message) error {
	if r.release != nil {
		r.release.add(m)
		return nil
	}
	return r.coder.Subtract(m, r.params)
}

func (r *reference) Average(all [][]byte) ([]byte, error) { return r.statistics.mean(all) }

func (r *reference) SetStatistics(b []byte) error { return r.statistics.set(r.params, b) }

// Constrain applies the network's constraints to the parameters.
func (r *reference) Constrain() error { return r.net.Constrain() }

func (r *reference) Params() ([]byte, error) { return tensor.AppendBytes(nil, r.params), nil }
