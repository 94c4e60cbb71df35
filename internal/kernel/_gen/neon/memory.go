package neon

import "fmt"

// access is a load or store at a constant distance.
type access struct {
	name string
	bits uint32
	size int
	kind string
}

var (
	loadQ  = access{"ldr", 0x3dc00000, 16, "q"}
	loadD  = access{"ldr", 0xfd400000, 8, "d"}
	loadS  = access{"ldr", 0xbd400000, 4, "s"}
	storeQ = access{"str", 0x3d800000, 16, "q"}
	storeD = access{"str", 0xfd000000, 8, "d"}
	storeS = access{"str", 0xbd000000, 4, "s"}
)

func (f *Func) access(a access, v V, m Mem) {
	if m.Disp%a.size != 0 || m.Disp < 0 || m.Disp/a.size >= 1<<12 {
		panic(fmt.Sprintf("%s: a distance of %d", f.name, m.Disp))
	}
	f.words(a.bits|uint32(m.Disp/a.size)<<10, fmt.Sprintf("%s %%s, [%%s, #%d]", a.name, m.Disp), []int{0, 5},
		[]string{a.kind + "%d", "x%d"}, v, m.Base)
}

// Load reads a vector, Load1 one element: the others become 0.
func (f *Func) Load(v V, m Mem)  { f.access(loadQ, v, m) }
func (f *Func) Load1(v V, m Mem) { f.access(loadS, v, m) }

// Store writes a vector.
func (f *Func) Store(v V, m Mem) { f.access(storeQ, v, m) }

// LoadAt reads a vector at base plus index bytes, Load1At one element.
func (f *Func) LoadAt(v V, base, index R) { f.indexed(0x3ce06800, "q", v, base, index) }

// Load1At reads one element at base plus index bytes.
func (f *Func) Load1At(v V, base, index R) { f.indexed(0xbc606800, "s", v, base, index) }

func (f *Func) indexed(bits uint32, kind string, v V, base, index R) {
	f.words(bits, "ldr %s, [%s, %s]", []int{0, 5, 16}, []string{kind + "%d", "x%d", "x%d"}, v, base, index)
}

// LoadNext reads a vector and moves the pointer behind it.
func (f *Func) LoadNext(v V, p R) {
	f.words(0x3cc00400|16<<12, "ldr %s, [%s], #16", []int{0, 5}, []string{"q%d", "x%d"}, v, p)
}

// LoadLaneNext reads one element and moves the pointer behind it.
func (f *Func) LoadLaneNext(v V, lane int, p R) {
	bits := uint32(0x0ddf8000 | lane>>1<<30 | lane&1<<12)
	f.words(bits, fmt.Sprintf("ld1 {%%s.s}[%d], [%%s], #4", lane), []int{0, 5}, []string{"v%d", "x%d"}, v, p)
}

// LoadLane reads one element and keeps the others.
func (f *Func) LoadLane(v V, lane int, p R) { f.lane("ld1", 0x0d408000, v, lane, p) }

// lane reads or writes one element.
func (f *Func) lane(name string, bits uint32, v V, lane int, p R) {
	f.words(bits|uint32(lane>>1<<30|lane&1<<12), fmt.Sprintf("%s {%%s.s}[%d], [%%s]", name, lane), []int{0, 5},
		[]string{"v%d", "x%d"}, v, p)
}

// LoadPart reads the first n elements, n in [1, 4], and sets the others to 0.
func (f *Func) LoadPart(v V, m Mem, n R) {
	f.part(v, m, n, loadQ, loadD, loadS, func(p R) { f.LoadLane(v, 2, p) })
}

// StorePart writes the first n elements, n in [1, 4].
func (f *Func) StorePart(v V, m Mem, n R) {
	f.part(v, m, n, storeQ, storeD, storeS, func(p R) { f.lane("st1", 0x0d008000, v, 2, p) })
}

func (f *Func) part(v V, m Mem, n R, q, d, s access, third func(p R)) {
	three, one, done, at := f.Unique("three"), f.Unique("one"), f.Unique("done"), f.Reg()
	if m.Disp != 0 {
		f.Asm("ADD", m.Disp, m.Base, at)
		m = Mem{Base: at}
	}
	f.Branch("TBZ", three, 2, n)
	f.access(q, v, m)
	f.Branch("JMP", done)
	f.Label(three)
	f.Branch("TBZ", one, 1, n)
	f.access(d, v, m)
	f.Branch("TBZ", done, 0, n)
	at = f.Reg()
	f.Asm("ADD", 8, m.Base, at)
	third(at)
	f.Branch("JMP", done)
	f.Label(one)
	f.access(s, v, m)
	f.Label(done)
}
