package sharing

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/cores"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// reference is the coordinator's parameters, which become the network's, with statistics of the applied updates.
type reference struct {
	twin
	params     []float32 // none before Install
	statistics spans
	coder      *threshold.Coder
	stale      bool        // a twin has trained on from the parameters
	net        *nn.Network // of twin.Network, with params

	decoder decoder
	waiting []*decoded           // updates to be subtracted
	words   int                  // of their messages
	all     []*threshold.Message // memory for the messages of waiting
	release *release             // nil if each update is released

	account
}

// twin is the settings of a reference, which another process may need to make the same.
type twin struct {
	Params     int
	Workers    int
	Statistics [][2]int // from and to
	Kernels    string   // of the coder
	Network    []byte   `json:",omitempty"` // the configuration of a network that has constraints
	Summed     bool     `json:",omitempty"` // a release is the sum of its updates
	Dense      bool     `json:",omitempty"` // messages of sums are dense
}

// threads returns the number of threads that decode and subtract updates. Where a release is soon done, other threads
// would only take time from the workers.
func (t twin) threads() int {
	const small = 1 << 21 // parameters
	if t.Workers*t.Params < small {
		return 1
	}
	return cores.Count()
}

var references = resident.RegisterReference("sharing", func(settings []byte) (resident.Portable, error) {
	var t twin
	if err := json.Unmarshal(settings, &t); err != nil {
		return nil, err
	}
	if t.Params < 1 || t.Params > maxParams {
		return nil, fmt.Errorf("a network of %d parameters", t.Params)
	}
	r, err := newReference(t)
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

// newReference makes a reference without parameters. Close must be called.
func newReference(t twin) (*reference, error) {
	coder, err := threshold.NewCoderFor(t.threads(), t.Kernels)
	if err != nil {
		return nil, err
	}
	r := &reference{twin: t, coder: coder, decoder: decoder{size: t.Params, threads: t.threads()}}
	if t.Summed {
		r.release = &release{sum: threshold.NewSum(coder, t.Params), writer: writer{coder: coder, dense: t.Dense}}
	}
	if t.Network != nil {
		if err := r.constrained(); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// constrained makes the network that applies the constraints.
func (r *reference) constrained() (err error) {
	if r.net, err = nn.Replica(r.Network); err != nil {
		return err
	}
	on, err := cpu.ParseKernels(r.Kernels)
	if err != nil {
		return err
	}
	r.net.SetExecutor(cpu.New(cpu.Options{Threads: 1, Kernels: on}))
	return nil
}

// Close ends the reference's threads.
func (r *reference) Close() { r.coder.Close() }

// maxParams is more than the parameters of any network that fits into a message.
const maxParams = 1 << 30

// Twin returns the settings from which another process makes the same reference.
func (r *reference) Twin() (resident.ReferenceKind, []byte) {
	t := r.twin
	t.Statistics = nil
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
	if len(params) != 4*r.twin.Params {
		return fmt.Errorf("%d bytes of parameters for a network of %d", len(params), r.twin.Params)
	}
	if r.params == nil {
		r.params = make([]float32, r.twin.Params)
		if r.net != nil {
			if err := r.net.Adopt(r.params, nil); err != nil {
				return err
			}
		}
	}
	tensor.FromBytes(r.params, params)
	r.decoder.give(r.waiting...)
	r.waiting, r.words, r.stale = r.waiting[:0], 0, false
	return nil
}

func (r *reference) Expect(payloads [][]byte) { r.decoder.expect(payloads) }

func (r *reference) Apply(e *coordination.Entry) error {
	u := r.decoder.take(e.Payload)
	if u.err != nil {
		r.decoder.give(u)
		return u.err
	}
	r.count(u)
	if r.release != nil {
		err := r.release.take(u, r.twin.Params)
		r.decoder.give(u)
		return err
	}
	r.released += int64(len(e.Payload))
	r.waiting = append(r.waiting, u)
	if r.words += u.words(); u.many || r.words > r.twin.Params { // they take more memory than the parameters
		r.catchUp()
	}
	return nil
}

// count adds an update to the account.
func (r *reference) count(u *decoded) {
	steps := 0
	u.each(r.twin.Params, func(m *threshold.Message) error {
		if len(m.Multiples) > 0 {
			return nil // the outliers of the message before
		}
		steps++
		if m.Form != threshold.Empty {
			r.values += int64(m.Count)
			r.threshold = m.Moved() / float64(m.Count)
		}
		return nil
	})
	r.updates++
	r.steps += max(1, steps)
	r.bytes += int64(len(u.payload))
}

// CatchUp subtracts the updates that wait if they take half of the parameters' memory, or if they are sums. Several
// updates are subtracted in one pass over the parameters.
func (r *reference) CatchUp() {
	if r.release != nil || r.words > r.twin.Params/2 {
		r.catchUp()
	}
}

// catchUp subtracts the updates that wait. Their order is that of the log.
func (r *reference) catchUp() {
	if len(r.waiting) == 0 {
		return
	}
	all := r.all[:0] // for as many parameters, each
	for _, u := range r.waiting {
		all = append(all, u.all()...)
		if u.many {
			r.coder.SubtractAll(all, r.params)
			all = all[:0]
			u.each(r.twin.Params, func(m *threshold.Message) error { return r.coder.Subtract(m, r.params) })
		}
	}
	r.coder.SubtractAll(all, r.params)
	r.all = all
	r.decoder.give(r.waiting...)
	r.waiting, r.words = r.waiting[:0], 0
}

// current returns the parameters with all updates.
func (r *reference) current() []float32 {
	r.catchUp()
	return r.params
}

func (r *reference) Average(all [][]byte) ([]byte, error) { return r.statistics.mean(all) }

func (r *reference) SetStatistics(b []byte) error { return r.statistics.set(r.current(), b) }

// Constrain applies the network's constraints to the parameters.
func (r *reference) Constrain() error {
	r.catchUp()
	return r.net.Constrain()
}

func (r *reference) Params() ([]byte, error) { return tensor.AppendBytes(nil, r.current()), nil }
