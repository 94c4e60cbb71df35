package keras

import (
	"slices"

	"github.com/dl4go/dl4go/nn/vertex"
)

// categoryEncoding turns whole numbers into vectors.
func categoryEncoding(b *builder, l *kerasLayer, in value) value {
	mode := l.text("output_mode", "multi_hot")
	if mode == "int" {
		l.wrong("output_mode", "one_hot, multi_hot or count")
	}
	return b.encoded(l, in, l.need("num_tokens", 1), mode)
}

// discretization turns numbers into the numbers of the buckets that hold them.
func discretization(b *builder, l *kerasLayer, in value) value {
	l.get("num_bins")
	l.get("epsilon")
	if l.get("bin_boundaries") == nil {
		l.refuse("it has no bin_boundaries: call adapt before the model is saved")
	}
	bounds, shape := l.numbers("bin_boundaries")
	if len(shape) != 1 || len(bounds) > maxVocabulary || !slices.IsSorted(bounds) {
		l.wrong("bin_boundaries", "a list of numbers in increasing order")
	}
	out := in
	out.from = b.add(l.name+"-buckets", vertex.Buckets{Boundaries: bounds}, in.from)
	return b.encoded(l, out, len(bounds)+1, l.text("output_mode", "int"))
}

// encoded encodes whole numbers below depth.
func (b *builder) encoded(l *kerasLayer, in value, depth int, mode string) value {
	in = in.bare()
	n := in.rank()
	of := vertex.OneHot{Size: depth}
	switch mode {
	case "int":
		b.below[in.from] = depth
		return in
	case "one_hot":
		if n > 1 || in.channels() != 1 {
			l.rankOf(in, 1, 2, 3)
			out := in.with(b.add(l.name, of, in.from), append(slices.Clone(in.shape), depth)...)
			if in.channels() != 1 {
				return out
			}
			shape := append(slices.Clone(in.shape[:n-1]), depth)
			return b.rearranged(l.name+"-vectors", out, nil, slices.Concat(make([]int, n-1), []int{depth}), shape...)
		}
		of.Counting = vertex.AnyNumber
	case "multi_hot", "binary":
		of.Counting = vertex.AnyNumber
	case "count":
		of.Counting = vertex.AllNumbers
	default:
		l.wrong("output_mode", "int, one_hot, multi_hot, count or tf_idf")
	}
	l.rankOf(in, 1)
	return in.with(b.add(l.name, of, in.from), depth)
}

// maxVocabulary bounds the entries of a vocabulary, and the boundaries of buckets.
const maxVocabulary = 1 << 20

// maxExact is the largest whole number up to which float32 holds all.
const maxExact = 1 << 24

// integerLookup numbers the entries of a vocabulary.
func integerLookup(b *builder, l *kerasLayer, in value) value {
	v := readVocabulary(b, l)
	switch method := l.text("oov_method", "floormod"); {
	case method != "floormod" && method != "farmhash":
		l.wrong("oov_method", "floormod or farmhash")
	case l.hashes():
		return v.encoded(b, l, b.hashed(l, in, v.buckets(l)))
	}
	l.get("salt")
	of := vertex.Numbering{First: v.unknown, Count: v.unknowns}
	seen := map[any]bool{}
	add := func(key any, number int) {
		x, ok := whole(key)
		if seen[key] {
			l.refuse("its vocabulary has the entry %s twice", shown(key))
		}
		if seen[key] = true; !ok || x > maxExact || x < -maxExact {
			l.refuse("its vocabulary has the entry %s: whole numbers of at most %d are read", shown(key), maxExact)
		}
		of.Keys, of.Numbers = append(of.Keys, float64(x)), append(of.Numbers, float64(number))
	}
	for i, key := range v.entries {
		add(key, v.first+i)
	}
	if v.mask != nil {
		add(v.mask, v.maskNumber)
	}
	out := in
	out.from = b.add(l.name+"-numbers", of, in.from)
	return v.encoded(b, l, out)
}

// vocabulary has the entries of a lookup, and their numbers.
type vocabulary struct {
	entries           []any // without the mask and unknown ones
	first             int   // number of the first entry; the others follow
	unknown, unknowns int   // first number of unknown entries, and how many they share
	mask              any   // the entry that is not there; nil if there is none
	maskNumber        int   // its number, which one-hot vectors ignore
	depth             int   // of vectors
	mode              string
	weights           []float64 // of tf_idf
}

// readVocabulary reads the settings of a lookup.
func readVocabulary(b *builder, l *kerasLayer) vocabulary {
	l.no("invert", "it turns numbers into entries, which is not read")
	for _, key := range []string{"vocabulary_dtype", "vocabulary_size", "has_input_vocabulary", "encoding"} {
		l.get(key)
	}
	v := vocabulary{mode: l.text("output_mode", "int"), unknowns: l.int("num_oov_indices", 0, 1),
		mask: l.entry("mask_token")}
	if v.mask != nil && v.mode == "int" {
		v.unknown = 1
	}
	v.first = v.unknown + v.unknowns
	v.entries = b.vocabularyOf(l)
	given := len(v.entries)
	special := append(slices.Repeat([]any{v.mask}, v.unknown), slices.Repeat([]any{l.entry("oov_token")}, v.unknowns)...)
	named := given >= len(special) && slices.Equal(special, v.entries[:len(special)])
	if named {
		v.entries = v.entries[len(special):]
	}
	v.depth = v.first + len(v.entries)
	if most := l.int("max_tokens", 1, 0); l.bool("pad_to_max_tokens", false) && most > 0 {
		v.depth = max(v.depth, most)
	}
	if v.depth > maxVocabulary {
		l.refuse("its vocabulary has %d numbers: at most %d are read", v.depth, maxVocabulary)
	}
	if v.mode != "int" && v.mask != nil {
		v.maskNumber = v.depth
	}
	if v.mode == "tf-idf" {
		v.mode = "tf_idf"
	}
	if list := l.get("idf_weights"); list != nil || v.mode == "tf_idf" {
		v.weigh(l, given, named)
	}
	return v
}

// weigh reads the weights of a tf_idf. Entries without one have the mean of the others, and those beyond the
// vocabulary 0.
func (v *vocabulary) weigh(l *kerasLayer, given int, named bool) {
	weights, shape := l.numbers("idf_weights")
	if len(shape) != 1 || len(weights) != given {
		l.refuse("idf_weights does not have a number for each of the %d entries of the vocabulary", given)
	}
	if !named {
		mean := 0.0
		for _, w := range weights {
			mean += w / float64(len(weights))
		}
		v.weights = slices.Repeat([]float64{mean}, v.first)
	}
	v.weights = append(v.weights, weights...)
	v.weights = append(v.weights, make([]float64, max(0, v.depth-len(v.weights)))...)
}

// encoded encodes the numbers of entries.
func (v vocabulary) encoded(b *builder, l *kerasLayer, in value) value {
	if v.mode != "tf_idf" {
		return b.encoded(l, in, v.depth, v.mode)
	}
	out := b.encoded(l, in, v.depth, "count")
	out.from = b.add(l.name+"-weighted", vertex.Affine{Shape: []int{v.depth}, Factor: v.weights}, out.from)
	return out
}

// vocabularyOf returns the entries of a lookup, from the configuration or from the file beside it.
func (b *builder) vocabularyOf(l *kerasLayer) []any {
	entries, ok := l.get("vocabulary").([]any)
	if l.m["vocabulary"] != nil && !ok {
		l.wrong("vocabulary", "a list")
	}
	if entries == nil {
		if entries = b.a.vocabulary(l); entries == nil {
			l.refuse("its vocabulary is not in the file: only .keras files keep one that was learned by adapt")
		}
	}
	if len(entries) == 0 || len(entries) > maxVocabulary {
		l.refuse("its vocabulary has %d entries: 1 to %d are read", len(entries), maxVocabulary)
	}
	for _, e := range entries {
		if !isEntry(e) {
			l.wrong("vocabulary", "a list of numbers or texts")
		}
	}
	return entries
}

// isEntry reports whether a value can be an entry of a vocabulary.
func isEntry(v any) bool {
	switch v.(type) {
	case string, float64:
		return true
	}
	return false
}

// entry returns a setting that is an entry of a vocabulary; nil if there is none.
func (s settings) entry(key string) any {
	v := s.get(key)
	if v != nil && !isEntry(v) {
		s.wrong(key, "a number or a text")
	}
	return v
}
