package analysis

// ofNumbers returns the counts of a profile of numbers.
func ofNumbers(p *profile) []*int64 {
	return []*int64{&p.zeros, &p.negative, &p.infinite, &p.count, &p.integers, &p.wide, &p.padded}
}

func (w *wireWriter) measures(m *measures) {
	w.bool(m.broken)
	w.int(m.others)
	w.int(int64(len(m.texts)))
	for _, text := range m.texts {
		w.text(text)
	}
	w.int(int64(len(m.units)))
	for _, u := range m.units {
		w.text(u.unit.Before)
		w.text(u.unit.After)
		w.bool(u.unit.Commas)
		w.int(u.n)
		w.text(u.text)
		for _, n := range ofNumbers(u.of) {
			w.int(*n)
		}
		w.float(u.of.min)
		w.float(u.of.max)
		w.numbers(u.of.numbers)
		w.moments(&u.of.moments)
	}
}

func (r *wireReader) measures(m *measures, limit int) {
	m.broken, m.others = r.bool(), r.int()
	for range r.length() {
		m.texts = append(m.texts, r.text())
	}
	for range r.length() {
		u := unitNumbers{unit: Unit{r.text(), r.text(), r.bool()}, n: r.int(), text: r.text(), of: newMeasures(limit)}
		for _, n := range ofNumbers(u.of) {
			*n = r.int()
		}
		u.of.min, u.of.max = r.float(), r.float()
		r.numbers(u.of.numbers)
		r.moments(&u.of.moments)
		m.units = append(m.units, u)
	}
}

func (w *wireWriter) forms(f *forms) {
	w.bool(f.broken)
	w.int(int64(len(f.all)))
	for _, of := range f.all {
		w.text(of.form)
		for _, o := range append([]oddity{of.first}, of.odd...) {
			w.text(o.text)
			w.text(o.place)
		}
	}
}

func (r *wireReader) forms(f *forms) {
	f.broken = r.bool()
	for range r.length() {
		of := newForm(r.text(), oddity{r.text(), r.text()})
		for i := range of.odd {
			of.odd[i] = oddity{r.text(), r.text()}
		}
		f.all = append(f.all, of)
	}
}
