package jpeg

// refinement is one scan of a progressive image. It has the coefficients from first to last: all bits from shift up,
// or, if their upper bits are known, bit shift alone.
type refinement struct {
	first, last int
	shift       uint
	more        bool // upper bits are known
	blocks      int  // how many more blocks end here
}

// block reads a block's part of the scan.
func (r *refinement) block(s *segment, b *[64]int16, dc, ac *table, before *int16) error {
	var err error
	switch {
	case r.first == 0 && r.more:
		b[0] |= int16(s.take(1) << r.shift)
	case r.first == 0:
		size := s.symbol(dc)
		if size > 15 {
			return errCode
		}
		*before += int16(s.number(uint(size)))
		b[0] = *before << r.shift
	case r.more:
		err = r.refine(s, b, ac)
	default:
		err = r.begin(s, b, ac)
	}
	if err == nil && s.overrun() {
		return errShort
	}
	return err
}

// begin reads the upper bits of coefficients.
func (r *refinement) begin(s *segment, b *[64]int16, ac *table) error {
	if r.blocks > 0 {
		r.blocks--
		return nil
	}
	for k := r.first; k <= r.last; k++ {
		symbol := s.symbol(ac)
		if symbol > 255 {
			return errCode
		}
		run, size := symbol>>4, uint(symbol&15)
		if size == 0 {
			if run < 15 {
				r.blocks = 1<<run + s.take(uint(run)) - 1
				return nil
			}
			k += 15
			continue
		}
		k += run
		b[natural[k]] = int16(s.number(size) << r.shift)
	}
	return nil
}

// refine reads one more bit of the coefficients that are not 0, and the coefficients that become nonzero in this scan.
func (r *refinement) refine(s *segment, b *[64]int16, ac *table) error {
	k := r.first
	for ; k <= r.last && r.blocks == 0; k++ {
		symbol := s.symbol(ac)
		if symbol > 255 {
			return errCode
		}
		run, value := symbol>>4, int16(0)
		switch size := symbol & 15; {
		case size > 1:
			return errCode
		case size == 1:
			value = int16(s.number(1) << r.shift)
		case run < 15:
			r.blocks = 1<<run + s.take(uint(run))
		}
		if r.blocks > 0 {
			break
		}
		if k = r.skip(s, b, k, run); value != 0 && k <= r.last {
			b[natural[k]] = value
		}
	}
	if r.blocks > 0 {
		r.blocks--
		r.skip(s, b, k, 64)
	}
	return nil
}

// skip reads the next bit of the nonzero coefficients from k on, until it has passed the given number of zeros. It
// returns the index of the next zero coefficient, which may be beyond the last.
func (r *refinement) skip(s *segment, b *[64]int16, k, zeros int) int {
	for ; k <= r.last; k++ {
		c := &b[natural[k]]
		switch {
		case *c == 0:
			if zeros == 0 {
				return k
			}
			zeros--
		case s.take(1) == 0 || *c>>r.shift&1 != 0:
		case *c > 0:
			*c += 1 << r.shift
		default:
			*c -= 1 << r.shift
		}
	}
	return k
}
