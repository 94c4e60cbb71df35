package main

import "github.com/mmcloughlin/avo/reg"

// adam emits func(p2, m2, v2, p, m, v, grad *float32, b, c, d, e, r, s, t float32, n int): x = b·m + c·grad,
// y = d·v + e·grad², p2 = p + t·(r·x/(√y + s)), and m2 and v2 are x and y without denormals. p2 may be p, m2 may be m, and
// v2 may be v.
func (b *builder) adam() {
	signature := "func(p2, m2, v2, p, m, v, grad *float32, b, c, d, e, r, s, t float32, n int)"
	b.kernel("adam", signature, 1, func(b *builder) {
		base := map[string]reg.Register{}
		for _, name := range []string{"p2", "m2", "v2", "p", "m", "v", "grad"} {
			base[name] = b.Load(b.Param(name), b.GP64())
		}
		number := map[string]vec{}
		for _, name := range []string{"b", "c", "d", "e", "r", "s", "t"} {
			number[name] = b.broadcast(name)
		}
		b.stream(1, func(i reg.Register, vector int, t *tail) {
			fetch := func(name string) vec { return b.fetch(b.at(base[name], i, vector), t) }
			g := fetch("grad")
			x := b.add(b.mul(fetch("m"), number["b"]), b.mul(g, number["c"]))
			y := b.add(b.mul(fetch("v"), number["d"]), b.mul(b.mul(g, g), number["e"]))
			b.store(b.where(b.normal(x), x), b.at(base["m2"], i, vector), t)
			b.store(b.where(b.normal(y), y), b.at(base["v2"], i, vector), t)
			root := b.vec()
			b.VSQRTPS(y, root)
			change := b.div(b.mul(x, number["r"]), b.add(root, number["s"]))
			b.store(b.add(fetch("p"), b.mul(change, number["t"])), b.at(base["p2"], i, vector), t)
		})
		b.finish()
	})
}
