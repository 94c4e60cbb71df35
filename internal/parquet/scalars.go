package parquet

import "math/bits"

// scalars reads the next n rows of a leaf without lists.
func (l *leafReader) scalars(n int) error {
	l.values.reset()
	l.texts.reset()
	l.pos.reset(n)
	for read := 0; read < n; {
		if l.page == 0 {
			if err := l.next(); err != nil {
				return err
			}
		}
		k := min(n-read, l.page)
		present := k
		if l.maxDef > 0 {
			var err error
			if k, present, err = l.definitions(min(k, len(l.levels)), read); err != nil {
				return err
			}
		}
		if err := l.decode(present); err != nil {
			return err
		}
		read += k
		l.page -= k
	}
	return nil
}

// decode reads the next n values of the page.
func (l *leafReader) decode(n int) error {
	switch {
	case !l.text:
		if _, ok := l.source.(*indexed); !ok {
			l.values.resolve()
		}
		return l.source.decode(n, &l.values)
	case n > 0:
		return l.textSource.decodeTexts(n, &l.texts)
	}
	return nil
}

// definitions reads the levels of up to k rows. It returns their number, and how many of them have a value. read is the
// number of rows that were read before.
func (l *leafReader) definitions(k, read int) (levels, present int, err error) {
	before, top := len(l.pos.nulls), uint32(l.maxDef)
	if level, ok := l.def.same(k); ok {
		if level > top {
			return 0, 0, errLevel
		}
		if level < top {
			for i, out := 0, extend(&l.pos.nulls, k); i < len(out); i++ {
				out[i] = int32(read + i)
			}
		}
		return k, k - (len(l.pos.nulls) - before), nil
	}
	if l.maxDef == 1 {
		err = l.definitionBits(k, read)
		return k, k - (len(l.pos.nulls) - before), err
	}
	part := l.levels[:k]
	if err := l.def.read(part); err != nil {
		return 0, 0, err
	}
	for i, level := range part {
		if level > top {
			return 0, 0, errLevel
		}
		if level < top {
			l.pos.nulls = append(l.pos.nulls, int32(read+i))
		}
	}
	return k, k - (len(l.pos.nulls) - before), nil
}

// definitionBits is definitions for levels of 0 and 1.
func (l *leafReader) definitionBits(k, read int) error {
	for at, end := read, read+k; at < end; {
		word, n, more, err := l.def.bits(end - at)
		if err != nil {
			return err
		}
		if more {
			return errLevel
		}
		for none := ^word & (1<<n - 1); none != 0; none &= none - 1 {
			l.pos.nulls = append(l.pos.nulls, int32(at+bits.TrailingZeros64(none)))
		}
		at += n
	}
	return nil
}
