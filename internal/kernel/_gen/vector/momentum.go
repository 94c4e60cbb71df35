package main

import "github.com/mmcloughlin/avo/reg"

// momentum emits func(p2, v2, p, v, d *float32, m, r, s, t float32, n int): w = m·v - r·d, p2 = p + t·(m·v - s·w), and v2
// is w without denormals. p2 may be p, and v2 may be v.
func (b *builder) momentum() {
	b.kernel("momentum", "func(p2, v2, p, v, d *float32, m, r, s, t float32, n int)", 1, func(b *builder) {
		base := map[string]reg.Register{}
		for _, name := range []string{"p2", "v2", "p", "v", "d"} {
			base[name] = b.Load(b.Param(name), b.GP64())
		}
		m, r, s, times := b.broadcast("m"), b.broadcast("r"), b.broadcast("s"), b.broadcast("t")
		b.stream(2, func(i reg.Register, vector int, t *tail) {
			fetch := func(name string) vec { return b.fetch(b.at(base[name], i, vector), t) }
			mv := b.mul(fetch("v"), m)
			w := b.sub(mv, b.mul(fetch("d"), r))
			b.store(b.where(b.normal(w), w), b.at(base["v2"], i, vector), t)
			b.store(b.add(fetch("p"), b.mul(b.sub(mv, b.mul(w, s)), times)), b.at(base["p2"], i, vector), t)
		})
		b.finish()
	})
}
