package xla

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/dl4go/dl4go/internal/xla/wire"
	"github.com/dl4go/dl4go/program"
)

// vectors are the vectors of one network on the device.
//
// While the device has a newer vector than the host, the host's vector is the one from the start of the journal. A new
// device process can start from it and repeat the runs since then.
type vectors struct {
	e       *Executor
	started int // the device process that has the vectors
	of      [program.NumVectors]onDevice
	runs    []recorded
	size    int // bytes of the runs' arrays
}

// onDevice is a vector's copy on the device.
type onDevice struct {
	id    int       // of its buffer; 0 for none yet
	host  []float32 // the host's vector in the last run
	there bool      // the device has the host's content, or newer
	newer bool
	sent  bool // sent since the last entry of the journal
}

// recorded is a run of the journal.
type recorded struct {
	x    *executable
	b    program.Bindings              // with copies of the inputs
	sent [program.NumVectors][]float32 // copies of vectors that were sent before the run, but not at the start
}

// Bounds of the journal, in runs and bytes. Beyond them, the vectors are copied to the host.
const (
	maxRuns  = 32
	maxBytes = 256 << 20
)

func (e *Executor) newVectors() *vectors { return &vectors{e: e, started: e.started} }

// Keep makes room for a network's vectors: see [program.Keeper].
func (e *Executor) Keep() program.Kept {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.newVectors()
	runtime.SetFinalizer(k, (*vectors).Close)
	return k
}

// Close frees the memory on the device.
func (k *vectors) Close() {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	k.close()
}

func (k *vectors) close() {
	if k.started != k.e.started {
		return
	}
	for i := range k.of {
		if k.of[i].id > 0 {
			k.e.garbage.Buffers = append(k.e.garbage.Buffers, k.of[i].id)
		}
	}
	k.of, k.runs, k.size = [program.NumVectors]onDevice{}, nil, 0
}

// Changed reports that the host has changed a vector.
func (k *vectors) Changed(v program.Vector) {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	k.of[v].there, k.of[v].newer = false, false
}

// Fetch copies a vector to the host if the device has a newer one.
func (k *vectors) Fetch(v program.Vector) error {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	passing := v == program.Gradient || v == program.Update
	if !k.of[v].newer && (passing || len(k.runs) == 0) {
		return nil
	}
	return k.e.twice(func() error {
		if err := k.restore(); err != nil {
			return err
		}
		if passing {
			return k.fetch(v)
		}
		return k.settle()
	})
}

// settle copies all vectors to the host, and starts a new journal.
func (k *vectors) settle() error {
	if err := k.fetch(program.Params, program.State, program.Gradient, program.Update); err != nil {
		return err
	}
	clear(k.runs)
	k.runs, k.size = k.runs[:0], 0
	return nil
}

// fetch copies vectors to the host if the device has newer ones.
func (k *vectors) fetch(list ...program.Vector) error {
	for _, v := range list {
		o := &k.of[v]
		if !o.newer {
			continue
		}
		if err := k.e.process.Memory.Grow(4 * len(o.host)); err != nil {
			return err
		}
		if _, err := k.e.do(&wire.Request{Get: &wire.Array{Buffer: o.id, Elements: len(o.host)}}); err != nil {
			return err
		}
		from, err := k.e.process.Memory.Floats(0, len(o.host))
		if err != nil {
			return err
		}
		copy(o.host, from)
		o.newer = false
	}
	return nil
}

// send makes sure that the device has a vector, and returns the number of its buffer.
func (k *vectors) send(v program.Vector, host []float32) (int, error) {
	o := &k.of[v]
	same := len(o.host) == len(host) && (len(host) == 0 || &o.host[0] == &host[0])
	if o.there && same {
		return o.id, nil
	}
	if o.newer {
		return 0, fmt.Errorf("xla: %v was bound to other memory while the device has a newer one", v)
	}
	e := k.e
	if err := e.process.Memory.Grow(4 * len(host)); err != nil {
		return 0, err
	}
	to, err := e.process.Memory.Floats(0, len(host))
	if err != nil {
		return 0, err
	}
	copy(to, host)
	if o.id == 0 {
		e.buffers++
		o.id = e.buffers
	}
	if _, err := e.do(&wire.Request{Put: &wire.Array{Buffer: o.id, Elements: len(host)}}); err != nil {
		return 0, err
	}
	o.host, o.there, o.sent = host, true, true
	return o.id, nil
}

// journal records a run, so that a new device process can repeat it.
func (k *vectors) journal(x *executable, b *program.Bindings) error {
	if len(x.module.Stored) == 0 {
		return nil // there is nothing to repeat
	}
	r := recorded{x: x, b: program.Bindings{Key: b.Key}}
	for _, in := range b.Inputs {
		r.b.Inputs = append(r.b.Inputs, slices.Clone(in))
		k.size += 4 * len(in)
	}
	for v := range k.of {
		o := &k.of[v]
		if o.sent && len(k.runs) > 0 {
			r.sent[v] = slices.Clone(b.Vectors[v])
			k.size += 4 * len(o.host)
		}
		o.sent = false
	}
	k.runs = append(k.runs, r)
	if len(k.runs) < maxRuns && k.size < maxBytes {
		return nil
	}
	return k.settle()
}

// restore brings the vectors to their last state if the device process is new.
func (k *vectors) restore() error {
	if k.started == k.e.started {
		return nil
	}
	now := k.of
	k.started = k.e.started
	for v := range k.of {
		k.of[v] = onDevice{host: now[v].host}
	}
	err := k.repeat()
	for v := range k.of {
		k.of[v].host, k.of[v].sent = now[v].host, false
		if !now[v].there || now[v].sent { // later changes by the host are sent again
			k.of[v].there, k.of[v].newer = false, false
		}
	}
	if err != nil {
		for v := range k.of {
			k.of[v].newer, k.of[v].there = now[v].newer, now[v].there
		}
		k.started = 0 // the next attempt starts here
	}
	return err
}

// repeat repeats the runs of the journal.
func (k *vectors) repeat() error {
	for i := range k.runs {
		r := &k.runs[i]
		b := r.b
		for v := range k.of {
			b.Vectors[v] = k.of[v].host
			if r.sent[v] != nil {
				b.Vectors[v] = r.sent[v]
				k.of[v].newer, k.of[v].there = false, false
			}
		}
		if err := r.x.compile(r.x.module.Lengths); err != nil {
			return err
		}
		if err := r.x.run(&b, k); err != nil {
			return err
		}
	}
	return nil
}
