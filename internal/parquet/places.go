package parquet

import "slices"

// places says which rows have a value, and where it is among the values.
type places struct {
	rows  int
	nulls []int32 // rows without a value, in ascending order
	list  []int32 // the place of each row's value, or −1; empty until one is asked for
}

// reset begins with other rows. None of them is null yet.
func (p *places) reset(rows int) { p.rows, p.nulls, p.list = rows, p.nulls[:0], p.list[:0] }

// values is the number of rows with a value.
func (p *places) values() int { return p.rows - len(p.nulls) }

// at is the place of a row's value; −1 if it is null.
func (p *places) at(row int) int {
	if len(p.nulls) == 0 {
		return row
	}
	if len(p.list) == 0 {
		p.list = slices.Grow(p.list, p.rows)[:p.rows]
		i := 0
		for found, null := range p.nulls {
			for ; i < int(null); i++ {
				p.list[i] = int32(i - found)
			}
			p.list[i] = -1
			i++
		}
		for ; i < p.rows; i++ {
			p.list[i] = int32(i - len(p.nulls))
		}
	}
	return int(p.list[row])
}

// rowOf is the row of the value at a place.
func (p *places) rowOf(place int) int {
	for _, null := range p.nulls {
		if int(null) > place {
			break
		}
		place++
	}
	return place
}

// inRows distributes values to their rows. The other rows have none.
func inRows[T any](of []T, p *places, none T, to *[]T) []T {
	if len(p.nulls) == 0 {
		return of
	}
	*to = slices.Grow((*to)[:0], p.rows)[:p.rows]
	out := *to
	for _, null := range p.nulls {
		n := int(null) - (len(*to) - len(out))
		move(out[:n], of)
		out[n] = none
		out, of = out[n+1:], of[n:]
	}
	move(out, of)
	return *to
}

// move copies values to all of to. For a few of them a loop is faster than copy.
func move[T any](to, of []T) {
	if len(to) > 16 {
		copy(to, of[:len(to)])
		return
	}
	for i := range to {
		to[i] = of[i]
	}
}
