package analysis

// ofNumbers returns the counts of a profile of numbers.
func ofNumbers(p *profile) []*int64 {
	return []*int64{&p.zeros, &p.negative, &p.infinite, &p.count, &p.integers, &p.wide, &p.padded}
}

func (w *wireWriter) measures(m *measures) {
	w.bool(m.broken)
	if w.int(m.n); m.n == 0 {
		return
	}
	w.text(m.unit.Before)
	w.text(m.unit.After)
	w.bool(m.unit.Commas)
	for _, n := range ofNumbers(m.of) {
		w.int(*n)
	}
	w.float(m.of.min)
	w.float(m.of.max)
	w.numbers(m.of.numbers)
	w.moments(&m.of.moments)
}

func (r *wireReader) measures(m *measures, limit int) {
	m.broken = r.bool()
	if m.n = r.int(); m.n == 0 {
		return
	}
	m.unit = Unit{r.text(), r.text(), r.bool()}
	m.of = newMeasures(limit)
	for _, n := range ofNumbers(m.of) {
		*n = r.int()
	}
	m.of.min, m.of.max = r.float(), r.float()
	r.numbers(m.of.numbers)
	r.moments(&m.of.moments)
}
