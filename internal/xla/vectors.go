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
	cuts    cuts
	runs    []recorded
	size    int // bytes of the runs' arrays
}

// onDevice is a vector's copy on the device.
type onDevice struct {
	ids   []int     // of the segments' buffers; none yet if it is empty
	host  []float32 // the host's vector in the last run
	there bool      // the device has the host's content, or newer
	newer bool
	sent  bool // sent since the last entry of the journal
}

// recorded is a run of the journal. The memory of its copies is used again in later journals.
type recorded struct {
	x      *executable
	key    program.Key
	inputs [][]float32                   // copies
	sent   [program.NumVectors][]float32 // copies of vectors that the host changed before or after the run; else empty
}

// Bounds of the journal, in runs and bytes. Beyond them, the vectors are copied to the host. Copying large vectors
// takes long: the journal may have several times their bytes. A step of gradient sharing is four runs.
const (
	maxRuns  = 240
	maxBytes = 256 << 20
	maxTimes = 4
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
	for v := range k.of {
		k.free(program.Vector(v))
	}
	k.of, k.cuts, k.runs, k.size = [program.NumVectors]onDevice{}, cuts{}, nil, 0
}

// free frees the buffers of a vector.
func (k *vectors) free(v program.Vector) {
	o := &k.of[v]
	k.e.garbage.Buffers = append(k.e.garbage.Buffers, o.ids...)
	o.ids, o.there = o.ids[:0], false
}

// Changed reports that the host will change a vector, or has bound it to other memory. The journal keeps the content
// with which it began.
func (k *vectors) Changed(v program.Vector) {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	o := &k.of[v]
	if len(k.runs) > 0 && o.there && !passing(v) && len(k.runs[0].sent[v]) == 0 {
		k.runs[0].sent[v] = append(k.runs[0].sent[v], o.host...)
		k.size += 4 * len(o.host)
	}
	o.there, o.newer = false, false
}

// passing reports whether a vector has no content that a later run needs.
func passing(v program.Vector) bool { return v == program.Gradient || v == program.Update }

// Fetch copies a vector to the host if the device has a newer one.
func (k *vectors) Fetch(v program.Vector) error {
	k.e.mu.Lock()
	defer k.e.mu.Unlock()
	if !k.of[v].newer {
		return nil
	}
	return k.e.twice(func() error {
		if err := k.restore(); err != nil {
			return err
		}
		if passing(v) {
			return k.fetch(v)
		}
		return k.settle()
	})
}

// settle copies all vectors to the host, and starts a new journal.
func (k *vectors) settle() error {
	for v := range k.of {
		if err := k.fetch(program.Vector(v)); err != nil {
			return err
		}
	}
	k.runs, k.size = k.runs[:0], 0
	return nil
}

// cut makes sure that the vectors of a run are cut where its programs need it. Vectors with other cuts are sent again.
func (k *vectors) cut(x *executable, b *program.Bindings) error {
	for v, needs := range x.needs {
		v := program.Vector(v)
		n := len(b.Vectors[v])
		if len(needs) == 0 || x.isLocal(v) || k.cuts.has(v, n, needs) {
			continue
		}
		if err := k.settle(); err != nil {
			return err
		}
		k.free(v)
		k.cuts[v] = k.cuts.with(v, n, needs)
	}
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
		if _, err := k.e.do(&wire.Request{Get: k.segments(v)}); err != nil {
			return err
		}
		from, err := k.e.process.Memory.Floats(0, len(o.host))
		if err != nil {
			return err
		}
		copy(o.host, from)
		o.newer = false
		k.e.traffic.Back += 4 * int64(len(o.host))
	}
	return nil
}

// send makes sure that the device has a vector.
func (k *vectors) send(v program.Vector, host []float32) error {
	o := &k.of[v]
	same := len(o.host) == len(host) && (len(host) == 0 || &o.host[0] == &host[0])
	if o.there && same {
		return nil
	}
	if o.newer {
		return fmt.Errorf("xla: %v was bound to other memory while the device has a newer one", v)
	}
	e := k.e
	if err := e.process.Memory.Grow(4 * len(host)); err != nil {
		return err
	}
	to, err := e.process.Memory.Floats(0, len(host))
	if err != nil {
		return err
	}
	copy(to, host)
	k.number(v)
	if _, err := e.do(&wire.Request{Put: k.segments(v)}); err != nil {
		return err
	}
	o.host, o.there, o.sent = host, true, true
	e.traffic.There += 4 * int64(len(host))
	return nil
}

// number gives the segments of a vector numbers for their buffers.
func (k *vectors) number(v program.Vector) {
	o := &k.of[v]
	for len(o.ids) < len(k.cuts[v])-1 {
		k.e.buffers++
		o.ids = append(o.ids, k.e.buffers)
	}
}

// segments returns the segments of a vector, with their places in the shared memory, where it is whole.
func (k *vectors) segments(v program.Vector) []wire.Array {
	list := make([]wire.Array, len(k.of[v].ids))
	for i, id := range k.of[v].ids {
		from, to := k.cuts[v][i], k.cuts[v][i+1]
		list[i] = wire.Array{Buffer: id, Offset: 4 * from, Elements: to - from}
	}
	return list
}

// journal records a run, so that a new device process can repeat it.
func (k *vectors) journal(x *executable, b *program.Bindings) error {
	if len(x.module.Stored) == 0 {
		return nil // there is nothing to repeat
	}
	first := len(k.runs) == 0
	k.runs = slices.Grow(k.runs, 1)[:len(k.runs)+1]
	r := &k.runs[len(k.runs)-1]
	r.x, r.key = x, b.Key
	r.inputs = slices.Grow(r.inputs[:0], len(b.Inputs))[:len(b.Inputs)]
	for i, in := range b.Inputs {
		r.inputs[i] = append(r.inputs[i][:0], in...)
		k.size += 4 * len(in)
	}
	bound := 0
	for v := range k.of {
		o := &k.of[v]
		r.sent[v] = r.sent[v][:0]
		if o.sent && !first {
			r.sent[v] = append(r.sent[v], b.Vectors[v]...)
			k.size += 4 * len(o.host)
		}
		o.sent = false
		bound += maxTimes * 4 * len(o.host)
	}
	if len(k.runs) < maxRuns && k.size < max(maxBytes, bound) {
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
		b := program.Bindings{Key: r.key, Inputs: r.inputs}
		for v := range k.of {
			b.Vectors[v] = k.of[v].host
			if len(r.sent[v]) > 0 {
				b.Vectors[v] = r.sent[v]
				k.of[v].newer, k.of[v].there = false, false
			}
		}
		if err := r.x.compile(k.cuts); err != nil {
			return err
		}
		if err := r.x.run(&b, k); err != nil {
			return err
		}
	}
	return nil
}
