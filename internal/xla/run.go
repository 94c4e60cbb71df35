package xla

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/xla/wire"
	"github.com/dl4go/dl4go/program"
)

// Run executes the programs once. The inputs of all programs are bound one after the other.
func (x *executable) Run(b *program.Bindings) error {
	if err := x.check(b); err != nil {
		return err
	}
	e := x.e
	e.mu.Lock()
	defer e.mu.Unlock()
	k, kept := b.Kept.(*vectors)
	if !kept || k.e != e {
		k = e.newVectors() // for this run only
		defer k.close()
	}
	err := e.twice(func() error {
		if err := k.restore(); err != nil {
			return err
		}
		if err := k.cut(x, b); err != nil {
			return err
		}
		if err := x.compile(k.cuts); err != nil {
			return err
		}
		return x.run(b, k)
	})
	if err != nil {
		return err
	}
	if kept {
		return k.journal(x, b)
	}
	return k.fetch(x.module.Stored...)
}

func (x *executable) check(b *program.Bindings) error {
	if len(b.Inputs) != len(x.inputs) {
		return fmt.Errorf("xla: %d inputs bound, the program has %d", len(b.Inputs), len(x.inputs))
	}
	for i, v := range x.inputs {
		if len(b.Inputs[i]) != v.Shape.Size() {
			return fmt.Errorf("xla: input %q of shape %v bound to %d elements", v.Name, v.Shape, len(b.Inputs[i]))
		}
	}
	for _, p := range x.programs {
		for v, n := range p.Lengths {
			if len(b.Vectors[v]) < n && !x.isLocal(program.Vector(v)) {
				return fmt.Errorf("xla: %v bound to %d elements, the program needs %d", program.Vector(v), len(b.Vectors[v]), n)
			}
		}
	}
	return nil
}

func (x *executable) isLocal(v program.Vector) bool {
	for _, l := range x.local {
		if l == v {
			return true
		}
	}
	return false
}

// run makes one run with the vectors of k. It sends vectors that the device does not have.
func (x *executable) run(b *program.Bindings, k *vectors) error {
	e, r, m := x.e, &x.request, x.module
	r.ID = x.id
	r.Buffers, r.Args, r.Replace, r.Results = r.Buffers[:0], r.Args[:0], r.Replace[:0], r.Results[:0]
	for _, v := range m.Vectors {
		if err := k.send(v, b.Vectors[v]); err != nil {
			return x.explain(err)
		}
		r.Buffers = append(r.Buffers, k.of[v].ids...)
	}
	for _, v := range m.Stored {
		k.number(v)
		r.Replace = append(r.Replace, k.of[v].ids...)
	}
	e.shared = 0
	for _, in := range b.Inputs {
		r.Args = append(r.Args, e.place(len(in)))
	}
	if len(m.Streams) > 0 {
		a := e.place(2 * len(m.Streams))
		a.Unsigned = true
		r.Args = append(r.Args, a)
	}
	for _, own := range x.own {
		r.Results = append(r.Results, e.place(len(own)))
	}
	if err := e.process.Memory.Grow(e.shared); err != nil {
		return err
	}
	if err := x.write(b); err != nil {
		return err
	}
	if _, err := e.do(&wire.Request{Run: r}); err != nil {
		return x.explain(err)
	}
	for _, a := range r.Args {
		e.traffic.There += 4 * int64(a.Elements)
	}
	for i, a := range r.Results {
		from, err := e.process.Memory.Floats(a.Offset, a.Elements)
		if err != nil {
			return err
		}
		copy(x.own[i], from)
		e.traffic.Back += 4 * int64(a.Elements)
	}
	for _, v := range m.Stored {
		o := &k.of[v]
		o.host, o.there, o.newer = b.Vectors[v], true, true
	}
	return nil
}

// place reserves shared memory for the current request, at a multiple of 64 bytes.
func (e *Executor) place(elements int) wire.Array {
	a := wire.Array{Offset: e.shared, Elements: elements}
	e.shared += (4*elements + 63) &^ 63
	return a
}

// write copies inputs and keys to the shared memory.
func (x *executable) write(b *program.Bindings) error {
	memory, args := x.e.process.Memory, x.request.Args
	for i, in := range b.Inputs {
		to, err := memory.Floats(args[i].Offset, len(in))
		if err != nil {
			return err
		}
		copy(to, in)
	}
	if len(x.module.Streams) == 0 {
		return nil
	}
	words, err := memory.Words(args[len(b.Inputs)].Offset, 2*len(x.module.Streams))
	if err != nil {
		return err
	}
	for i, s := range x.module.Streams {
		words[2*i], words[2*i+1] = random.Words(b.Key.Stream(s), 0)
	}
	return nil
}
