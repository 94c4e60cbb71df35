package jpeg

import "errors"

// look is the number of bits that find a code at once.
const look = 10

// table is a Huffman code.
type table struct {
	// quick holds, for the next bits, the first code in them: the length in bits 0 to 7, the symbol in bits 8 to 15,
	// and the number that follows it in bits 16 to 31. If the number is not 0, the length includes it; a number of 0
	// is not looked up. Entries of longer codes are 0.
	quick [1 << look]uint32
	// Codes of n bits, left-aligned in 16 bits, are below limit[n]. first[n] plus a code is the index of its symbol in
	// values.
	limit  [17]uint32
	first  [17]int
	values [256]uint8
	known  bool
}

var errHuffman = errors.New("a Huffman table that is wrong")

// set makes a table from the numbers of codes of 1 to 16 bits, and their symbols.
func (t *table) set(counts, values []uint8) error {
	t.known = true
	clear(t.quick[:])
	copy(t.values[:], values)
	code, k := uint32(0), 0
	for i, count := range counts {
		n := i + 1
		t.first[n] = k - int(code>>(16-n))
		for range count {
			if code>>16 != 0 {
				return errHuffman
			}
			if n <= look {
				t.enter(code, uint(n), values[k])
			}
			code += 1 << (16 - n)
			k++
		}
		t.limit[n] = code
	}
	if code>>16 != 0 && code != 1<<16 {
		return errHuffman
	}
	return nil
}

// enter sets the entries of quick that begin with a code of n bits.
func (t *table) enter(code uint32, n uint, symbol uint8) {
	size := uint(symbol & 15)
	from := code >> (16 - look)
	for i := range uint32(1) << (look - n) {
		e := uint32(n) | uint32(symbol)<<8
		if n+size <= look && size > 0 {
			bits := i >> (look - n - size)
			e = uint32(n+size) | uint32(symbol)<<8 | uint32(uint16(extend(int(bits), size)))<<16
		}
		t.quick[from+i] = e
	}
}

// find returns the symbol of the next code in acc, and its length; 256 if there is none.
func (t *table) find(acc uint64) (symbol int, length uint) {
	if e := t.quick[acc>>(64-look)]; e != 0 {
		if length := uint(e & 0xff); e>>16 == 0 {
			return int(e >> 8 & 0xff), length
		} else {
			return int(e >> 8 & 0xff), length - uint(e>>8&15)
		}
	}
	return t.long(acc)
}

// long finds a code that is not in quick.
func (t *table) long(acc uint64) (symbol int, length uint) {
	next := uint32(acc >> 48)
	for n := look + 1; n <= 16; n++ {
		if next < t.limit[n] {
			return int(t.values[(t.first[n]+int(next>>(16-n)))&255]), uint(n)
		}
	}
	return 256, 0
}
