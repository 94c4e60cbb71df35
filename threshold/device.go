package threshold

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	kernels "github.com/dl4go/dl4go/internal/kernel/threshold"
	"github.com/dl4go/dl4go/program"
)

// Device is a device with a memory of its own, such as a GPU, that holds an encoder's residual beside a network's
// updates. nn.Residual is one.
type Device interface {
	// Compile compiles a program that reads and stores into program.Update and program.Residual.
	Compile(p *program.Program) (program.Executable, error)
	// Run runs a compiled program.
	Run(x program.Executable, inputs ...[]float32) error
	// Fetch copies the residual to the memory of Encoder.Residual.
	Fetch() error
	// Take is Fetch for an encoder that changes its copy. The next run copies it back.
	Take() error
}

// onDevice is the part of an encoder whose residual is on a device. A step is two runs there, or three: adding the
// update and drawing a sample, counting the values of a sparse message, and taking the values out of the residual. Only
// the sample and two numbers for each 16 parameters are copied to this process, or six with Options.Mean. Messages have
// the bits of those of an encoder without a device.
type onDevice struct {
	Device
	ranges
	sampled        bool
	adding, moving program.Executable
	adds, moves    [][]float32 // their inputs
	times, least   [1]float32
	places         []float32
	thresholds     []float32 // of the ranges
	steps          []float32
	halves         []float32
	lost           error // the residual could not be copied
	words          []uint32
	counts         []int // values of the ranges
	samples        []float32
	clipping
}

// SetDevice moves the residual to a device. From then on, use EncodeOnDevice. It fails if an option is set that is for
// tests.
func (e *Encoder) SetDevice(d Device) error {
	if e.options.Compatible || e.ledger != nil {
		return errors.New("an encoder with Compatible or a Ledger works on no device")
	}
	o := &onDevice{Device: d, least: [1]float32{float32(math.Inf(-1))}}
	for _, l := range e.layers {
		o.ranges = append(o.ranges, span{l.from, l.to})
	}
	if e.layers == nil {
		o.ranges = ranges{{0, len(e.residual)}}
	}
	o.adds = [][]float32{o.times[:], o.least[:]}
	if _, o.sampled = e.algorithm.(Largest); o.sampled {
		o.places = make([]float32, o.ranges.places())
		o.adds = append(o.adds, o.places)
	}
	n := len(o.ranges)
	o.thresholds, o.steps, o.halves = make([]float32, n), make([]float32, n), make([]float32, n)
	o.limits, o.removed = make([]float32, n), make([]Removed, n)
	o.moves = [][]float32{o.thresholds, o.steps, o.halves}
	o.counts, o.words = make([]int, n), make([]uint32, o.ranges.words())
	var err error
	if o.adding, err = d.Compile(o.addition(o.sampled)); err != nil {
		return err
	}
	if o.moving, err = d.Compile(o.movement(e.options.Mean)); err != nil {
		return err
	}
	e.device = o
	return nil
}

// EncodeOnDevice is EncodeTimes for the update on the encoder's device.
func (e *Encoder) EncodeOnDevice(iteration, epoch int, times float32) (*Message, error) {
	d := e.device
	if d == nil {
		return nil, errors.New("the encoder has no device: call SetDevice")
	}
	if err := d.add(iteration, times); err != nil {
		return nil, err
	}
	if !d.small() {
		d.fetch()
		if d.lost == nil && d.overflows(e) {
			return nil, overflowed(e.residual, iteration)
		}
	}
	if d.lost != nil {
		return nil, d.lost
	}
	if e.layers != nil {
		return d.scaled(e, iteration, epoch)
	}
	return e.plain(iteration, epoch, addition{})
}

// fetch copies the residual from the device, if there is one.
func (d *onDevice) fetch() {
	if d != nil {
		d.note(d.Fetch())
	}
}

// note keeps an error for the next step.
func (d *onDevice) note(err error) {
	if d.lost == nil {
		d.lost = err
	}
}

// add adds the update to the residual and draws the sample.
func (d *onDevice) add(iteration int, times float32) error {
	d.times[0] = times
	d.setPlaces(d.places, iteration)
	err := d.Run(d.adding, d.adds...)
	if d.sampled {
		d.samples = d.adding.Output(1)
	}
	return err
}

// small reports whether no sum of the squares of a block's elements can overflow.
func (d *onDevice) small() bool {
	for i, most := range d.adding.Output(0) {
		if x := float64(most); !(x*x*float64(min(d.ranges[i].size(), block)) < math.MaxFloat32/2) {
			return false
		}
	}
	return true
}

// overflows reports whether the norm of a block of the fetched residual is not finite.
func (d *onDevice) overflows(e *Encoder) bool {
	for i := range blocksOf(len(e.residual)) {
		from, to := part(i, len(e.residual))
		if s := e.coder.vec.SumSquares(e.residual[from:to]); s-s != 0 {
			return true
		}
	}
	return false
}

// move moves the elements that reach their thresholds, and sets words and counts.
func (d *onDevice) move() error {
	if err := d.Run(d.moving, d.moves...); err != nil {
		return err
	}
	low, high := d.moving.Output(0), d.moving.Output(1)
	for i := range d.words {
		d.words[i] = uint32(low[i]) | uint32(high[i])<<16
	}
	from := 0
	for i, s := range d.ranges {
		to := from + kernels.WordsOf(s.size())
		d.counts[i] = best.CountBitmap(d.words[from:to])
		from = to
	}
	return nil
}

// moveAll is move with one threshold, step and half for all elements.
func (d *onDevice) moveAll(t, step, half float32) error {
	d.thresholds[0], d.steps[0], d.halves[0] = t, step, half
	return d.move()
}

// bitmap sets the message to the bitmap of the residual.
func (d *onDevice) bitmap(m *Message, t float32) error {
	if err := d.moveAll(t, t, t/2); err != nil {
		return err
	}
	m.Reset(d.ranges[0].size())
	m.Form, m.Threshold, m.Count = Bitmap, t, d.counts[0]
	m.Words = append(m.Words, d.words...)
	return nil
}

var noHalf = float32(math.Inf(1))

// find counts the elements that reach t.
func (d *onDevice) find(t float32) (hits int, err error) {
	err = d.moveAll(t, 0, noHalf)
	return d.counts[0], err
}

// take sets the message to the elements that reach t, and subtracts them.
func (d *onDevice) take(m *Message, t float32, hits int) error {
	if err := d.moveAll(t, t, noHalf); err != nil {
		return err
	}
	m.Reset(d.ranges[0].size())
	m.Form, m.Threshold, m.Count = Sparse, t, hits
	m.Entries = slices.Grow(m.Entries, hits)
	for w, word := range d.words {
		for rest := word & 0xffff; rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros32(rest)
			entry := int32(16*w + j + 1)
			if word>>j&0x10000 != 0 {
				entry = -entry
			}
			m.Entries = append(m.Entries, entry)
		}
	}
	return nil
}

// scaled makes a scaled message of an encoder, or an empty one, after the update was added.
func (d *onDevice) scaled(e *Encoder, iteration, epoch int) (*Message, error) {
	m := &e.message
	m.Reset(len(e.residual))
	e.outliers.Reset(len(e.residual))
	samples := d.samples
	for i, s := range d.ranges {
		step := e.begin(i, iteration, epoch)
		if d.sampled {
			n := min(s.size(), sampleSize)
			step.drawn, samples = samples[:n], samples[n:]
		}
		var err error
		if d.thresholds[i], d.steps[i], err = step.decide(&e.state.Layers[i]); err == nil {
			err = d.lost
		}
		if err != nil {
			return nil, err
		}
		d.halves[i] = noHalf
	}
	if err := d.move(); err != nil {
		return nil, err
	}
	if err := d.clipLayers(e, iteration); err != nil {
		return nil, err
	}
	d.append(e)
	e.count()
	return m, d.lost
}

// append appends the sections of all layers, whose values have moved, to the messages of an encoder.
func (d *onDevice) append(e *Encoder) {
	m, words := &e.message, d.words
	m.Form, e.outliers.Form = Scaled, Scaled
	var orders []float32
	if e.options.Mean {
		orders = d.moving.Output(2)
	}
	for i, s := range d.ranges {
		n, multiples := kernels.WordsOf(s.size()), 0
		if d.counts[i] > 0 {
			m.Words = append(m.Words, words[:n]...)
		}
		if orders != nil {
			multiples = d.further(e, &e.layers[i], words[:n], orders[:4*n], d.steps[i])
			orders = orders[4*n:]
		}
		words = words[n:]
		e.end(i, d.counts[i], multiples, d.steps[i])
	}
	for _, m := range []*Message{m, &e.outliers} {
		if m.Count == 0 {
			m.Reset(len(e.residual))
		}
	}
}
