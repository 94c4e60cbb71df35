package neon

import (
	"fmt"
	"slices"
)

// span is the part of a function in which a virtual register is in use.
type span struct{ id, first, last int }

// general lists the general registers that Go lets functions use: not 18 (the system's), 27 (the assembler's), 28 (the
// goroutine), 29 (the frame) and 30 (the return address).
var general = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26}

// allocate returns the numbers of the virtual registers of both kinds.
func (f *Func) allocate(lines []line, shift int) (vectors, generals map[int]int) {
	v, r := map[int]*span{}, map[int]*span{}
	for i, l := range lines {
		for _, a := range l.args {
			switch a := a.(type) {
			case V:
				use(v, a.id, i)
			case R:
				use(r, a.id, i)
			}
		}
	}
	var all []int
	for i := range 32 {
		all = append(all, i)
	}
	return f.assign(v, shift, all), f.assign(r, shift, general)
}

func use(spans map[int]*span, id, at int) {
	if s, ok := spans[id]; ok {
		s.last = at
	} else {
		spans[id] = &span{id, at, at}
	}
}

// assign gives every register of spans a number. A register that a loop reads and that was set before it is kept to the
// loop's end.
func (f *Func) assign(spans map[int]*span, shift int, free []int) map[int]int {
	var order []*span
	for _, s := range spans {
		for changed := true; changed; {
			changed = false
			for _, loop := range f.loops {
				first, last := loop[0]+shift, loop[1]+shift
				if s.first < first && s.last >= first && s.last < last {
					s.last, changed = last, true
				}
			}
		}
		order = append(order, s)
	}
	slices.SortFunc(order, func(a, b *span) int {
		if a.first != b.first {
			return a.first - b.first
		}
		return a.id - b.id
	})
	numbers, free := map[int]int{}, slices.Clone(free)
	var live []*span
	for _, s := range order {
		live = slices.DeleteFunc(live, func(l *span) bool {
			// An instruction may write the register that it reads last.
			done := l.last <= s.first
			if done {
				free = append(free, numbers[l.id])
			}
			return done
		})
		if len(free) == 0 {
			panic(fmt.Sprintf("%s: out of registers at line %d", f.name, s.first))
		}
		slices.Sort(free)
		numbers[s.id], free = free[0], free[1:]
		live = append(live, s)
	}
	return numbers
}
