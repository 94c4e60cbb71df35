package jpeg

// natural is the place of each coefficient of a block. A run may lead up to 15 coefficients beyond the last one.
var natural = [80]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
}

// sequential reads a block into b, which must be zero, and returns the index of its last coefficient. The first
// coefficient is coded as the difference from the previous block's.
func (s *segment) sequential(b *[64]int16, dc, ac *table, before *int16) (last int, err error) {
	if s.n < 32 {
		s.fill()
	}
	size := s.symbol(dc)
	if size > 15 {
		return 0, errCode
	}
	*before += int16(s.number(uint(size)))
	b[0] = *before
	acc, n := s.acc, s.n
	k := 1
	for k < 64 {
		if n < 32 {
			s.acc, s.n = acc, n
			s.fill()
			acc, n = s.acc, s.n
		}
		e := ac.quick[acc>>(64-look)]
		if e>>16 != 0 {
			k += int(e >> 12 & 15)
			b[natural[k]&63] = int16(e >> 16)
			acc <<= e & 63
			n -= uint(e & 63)
			k++
			continue
		}
		symbol, length := int(e>>8&0xff), uint(e&63)
		if e == 0 {
			if symbol, length = ac.long(acc); symbol > 255 {
				return 0, errCode
			}
		}
		acc <<= length & 63
		n -= length
		size := uint(symbol & 15)
		if size == 0 {
			if symbol != 0xf0 {
				break
			}
			k += 16
			continue
		}
		k += symbol >> 4
		b[natural[k]&63] = int16(extend(int(acc>>(64-size)), size))
		acc <<= size
		n -= size
		k++
	}
	s.acc, s.n = acc, n
	if s.overrun() {
		return 0, errShort
	}
	return k - 1, nil
}
