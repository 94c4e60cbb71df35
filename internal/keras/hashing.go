package keras

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/pipeline"
)

// hashes reports whether a layer hashes values. The network's pipeline does that.
func (l *kerasLayer) hashes() bool {
	unknowns, ok := whole(l.m["num_oov_indices"])
	return l.class == "Hashing" || l.class == "IntegerLookup" && l.m["oov_method"] == "farmhash" && ok && unknowns > 1
}

// hashedInputs returns the layer that hashes each input of a model. No other layer may read this input.
func hashedInputs(m *model) map[string]*kerasLayer {
	inputs, by := map[string]bool{}, map[string]*kerasLayer{}
	for _, r := range m.inputs {
		inputs[r.layer] = true
	}
	each := func(f func(l *kerasLayer, from string)) {
		for _, l := range m.layers {
			for _, call := range l.calls {
				for _, r := range call {
					if inputs[r.layer] {
						f(l, r.layer)
					}
				}
			}
		}
	}
	each(func(l *kerasLayer, from string) {
		if l.hashes() {
			by[from] = l
		}
	})
	each(func(l *kerasLayer, from string) {
		if of := by[from]; of != nil && of != l {
			l.refuse("it reads the input %s, which the layer %s hashes: one of them may read it", from, of.name)
		}
	})
	for _, r := range m.outputs {
		if of := by[r.layer]; of != nil {
			of.refuse("it hashes the input %s, which is an output of the model, too", r.layer)
		}
	}
	return by
}

// hashing puts values into buckets by their hash.
func hashing(b *builder, l *kerasLayer, in value) value {
	bins := l.need("num_bins", 1)
	h := &pipeline.HashValue{Buckets: bins, Key: l.salt()}
	if mask := l.entry("mask_value"); mask != nil && bins > 1 {
		h.Buckets, h.First = bins-1, 1
		h.Known, h.Numbers = []string{hashedText(l, mask)}, []int{0}
	}
	return b.encoded(l, b.hashed(l, in, h), bins, l.text("output_mode", "int"))
}

// hashed puts values into buckets: the pipeline those of an input, and a table those inside of the model.
func (b *builder) hashed(l *kerasLayer, in value, h *pipeline.HashValue) value {
	c, below := in.texts, b.below[in.from]
	switch {
	case c == nil && below == 0:
		l.refuse("it hashes values of an unknown range inside of the model: hashed are inputs, and the numbers of lookups, " +
			"of Discretization and of other hashes")
	case c == nil && below > mostHashed:
		l.refuse("it hashes %d numbers inside of the model: at most %d are hashed there", below, mostHashed)
	case c == nil:
		return in.numbered(b, l, h)
	case c.lookup != nil:
		l.refuse("the layer %s reads the same input: one lookup of each input is read", c.lookup.name)
	}
	c.lookup, c.hash = l, h
	in.texts = nil
	return in
}

// mostHashed is the maximum of the numbers that a layer inside of the model hashes.
const mostHashed = 1 << 16

// numbered puts the whole numbers below a bound into buckets.
func (t value) numbered(b *builder, l *kerasLayer, h *pipeline.HashValue) value {
	table, err := h.Table(b.below[t.from])
	if err != nil {
		l.refuse("%v", err)
	}
	var of vertex.Numbering
	for i, number := range table {
		of.Keys, of.Numbers = append(of.Keys, float64(i)), append(of.Numbers, float64(number))
	}
	t.from = b.add(l.name+"-hashed", of, t.from)
	return t
}

// salt reads the key of a hash: a number, or two of them.
func (l *kerasLayer) salt() []int64 {
	list, ok := l.get("salt").([]any)
	if l.m["salt"] == nil {
		return nil
	}
	if !ok {
		list = []any{l.m["salt"], l.m["salt"]}
	}
	var key []int64
	for _, v := range list {
		n, ok := whole(v)
		if !ok || n < 0 || n >= 1<<53 {
			l.wrong("salt", "one or two whole numbers from 0 to 2⁵³")
		}
		key = append(key, int64(n))
	}
	if len(key) != 2 {
		l.wrong("salt", "one or two whole numbers from 0 to 2⁵³")
	}
	return key
}

// hashedText returns an entry as the text that is hashed.
func hashedText(l *kerasLayer, entry any) string {
	if text, ok := entry.(string); ok {
		return text
	}
	n, ok := whole(entry)
	if !ok {
		l.refuse("it has the entry %s, which is neither a text nor a whole number", shown(entry))
	}
	return fmt.Sprint(n)
}

// buckets returns the step that numbers the entries of a vocabulary, and puts unknown ones into buckets.
func (v vocabulary) buckets(l *kerasLayer) *pipeline.HashValue {
	h := &pipeline.HashValue{Buckets: v.unknowns, First: v.unknown, Key: l.salt()}
	taken := map[string]bool{}
	add := func(entry any, number int) {
		text := hashedText(l, entry)
		if taken[text] {
			l.refuse("its vocabulary has the entry %s twice", shown(entry))
		}
		taken[text] = true
		h.Known, h.Numbers = append(h.Known, text), append(h.Numbers, number)
	}
	for i, e := range v.entries {
		add(e, v.first+i)
	}
	if v.mask != nil {
		add(v.mask, v.maskNumber)
	}
	return h
}
