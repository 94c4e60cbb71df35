package parquet

import (
	"errors"
	"fmt"
)

const (
	// maxList bounds the numbers of a row's list.
	maxList = 1 << 24
	// maxHeld bounds the entries of several rows that all leaves hold: a few bytes of a file may be a long list.
	maxHeld = 1 << 22
	// minHeld is the least that a leaf may hold of them.
	minHeld = 1 << 16
)

// lists reads the lists of n rows, or of fewer if they have more than held entries, but of one at least. It returns
// the number of rows. It may also read entries of later rows, which it keeps for the next call.
func (l *leafReader) lists(n, held int) (int, error) {
	l.drop()
	rows, scanned, values := 0, 0, 0
	for {
		for ; scanned < len(l.reps); scanned++ {
			if l.reps[scanned] == 0 {
				l.from, l.start = append(l.from, int32(scanned)), append(l.start, int32(values))
				if rows++; rows > n {
					return n, nil
				}
			}
			if l.defs[scanned] == l.maxDef {
				values++
			}
		}
		if l.page == 0 && l.entries == 0 {
			break
		}
		if rows > 1 && scanned > held { // the last of these rows may have more entries
			return rows - 1, nil
		}
		if last := len(l.from) - 1; last >= 0 && scanned-int(l.from[last]) > maxList {
			return 0, fmt.Errorf("a list has more than %d values", maxList)
		}
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
	if rows < n {
		return 0, errors.New("there are fewer values than rows")
	}
	l.from, l.start = append(l.from, int32(scanned)), append(l.start, int32(values))
	return n, nil
}

// cut leaves all but the first n rows to the next call.
func (l *leafReader) cut(n int) { l.from, l.start = l.from[:n+1], l.start[:n+1] }

// drop forgets the rows of the last call.
func (l *leafReader) drop() {
	if len(l.from) == 0 {
		return
	}
	entries, values := l.from[len(l.from)-1], l.start[len(l.start)-1]
	shift(&l.reps, entries)
	shift(&l.defs, entries)
	shift(&l.values.i32, values)
	shift(&l.values.i64, values)
	shift(&l.values.f32, values)
	shift(&l.values.f64, values)
	shift(&l.values.bytes, values)
	l.from, l.start = l.from[:0], l.start[:0]
}

func shift[T any](s *[]T, n int32) {
	if len(*s) > 0 {
		*s = append((*s)[:0], (*s)[n:]...)
	}
}

// fill reads some entries.
func (l *leafReader) fill() error {
	if l.page == 0 {
		if err := l.next(); err != nil {
			return err
		}
	}
	k := min(l.page, len(l.levels))
	part := l.levels[:k]
	if err := l.rep.read(part); err != nil {
		return err
	}
	for i, level := range part {
		if level > uint32(l.maxRep) || level > 0 && len(l.reps) == 0 && i == 0 {
			return errLevel
		}
		l.reps = append(l.reps, uint8(level))
	}
	if err := l.def.read(part); err != nil {
		return err
	}
	present := 0
	for _, level := range part {
		if level > uint32(l.maxDef) {
			return errLevel
		}
		if level == uint32(l.maxDef) {
			present++
		}
		l.defs = append(l.defs, uint8(level))
	}
	l.page -= k
	return l.source.decode(present, &l.values)
}

// array is the list of a row.
type array struct {
	null        bool
	shape       []int // of lists in lists; nil if the list is empty
	entry, last int   // the entries of the row
	value       int   // the first value
}

// list gives a row's list. Those in it must have one shape.
func (l *leafReader) list(row int) (a array, err error) {
	a = array{entry: int(l.from[row]), last: int(l.from[row+1]), value: int(l.start[row])}
	if def := l.defs[a.entry]; def < l.present[0] {
		a.null = def+1 < l.present[0]
		a.last = a.entry
		a.shape = make([]int, l.maxRep)
		return a, nil
	}
	n := a.last - a.entry
	if l.maxRep == 1 {
		a.shape = []int{n}
		return a, nil
	}
	return a, l.rectangular(&a, n)
}

// rectangular finds the shape of lists in lists: they all have one.
func (l *leafReader) rectangular(a *array, n int) error {
	counts := make([]int, l.maxRep) // entries that begin an element at this depth
	for i := a.entry; i < a.last; i++ {
		if l.defs[i] < l.present[l.maxRep-1] {
			return errors.New("a list in it is missing or empty, and others are not")
		}
		for k := max(l.reps[i], 1); k <= l.maxRep; k++ {
			counts[k-1]++
		}
	}
	for k, c := range counts {
		outer := 1
		if k > 0 {
			outer = counts[k-1]
		}
		if c%outer != 0 {
			return errRagged
		}
		a.shape = append(a.shape, c/outer)
	}
	for i := range n {
		size := 1
		want := l.maxRep
		for k := int(l.maxRep) - 1; k > 0; k-- {
			if size *= a.shape[k]; i%size == 0 {
				want = uint8(k)
			}
		}
		if i > 0 && l.reps[a.entry+i] != want {
			return errRagged
		}
	}
	return nil
}

var errRagged = errors.New("the lists in it have different lengths")
