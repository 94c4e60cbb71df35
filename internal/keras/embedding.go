package keras

import (
	"slices"

	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// embedding maps each index to a vector. With mask_zero, the index 0 makes a mask.
func embedding(b *builder, l *kerasLayer, in value) value {
	l.rankOf(in, 1, 2, 3)
	nIn, n := l.need("input_dim", 1), l.need("output_dim", 1)
	l.no("lora_rank", "low-rank adaptations are not read: merge them first")
	l.no("quantization_config", "quantized layers are not read")
	l.get("weights")
	of := layer.NewEmbeddingSequence(nIn, n)
	of.Base = trainedBase(b, l, weight{"embeddings", "W", []int{0, 1}, false})
	of.InputLength = 1
	if in.mask != "" {
		in = in.bare()
	}
	index := in
	if in.rank() > 1 {
		index = b.rearranged(l.name+"-indices", in, nil, []int{size(in.known(l.settings))}, size(in.shape))
	}
	own := b.add(l.name, l.freeze(of), index.from)
	b.own(l, "vars", "embeddings", true, []int{nIn, n}, transposed(own+"_W", []int{nIn, n}, 1, 0))
	out := in.with(own, n, index.shape[0])
	out = b.rearranged(l.name+"-sequence", out, []int{2, 1}, nil, index.shape[0], n)
	if in.rank() > 1 {
		shape := append(slices.Clone(in.shape), n)
		out = b.rearranged(l.name+"-shape", out, nil, shape, shape...)
	}
	if l.bool("mask_zero", false) {
		if in.rank() != 1 {
			l.refuse("mask_zero is true for indices of the shape %s: sequences of indices are read",
				dims(in.shape))
		}
		out.mask = b.add(l.name+"-mask", vertex.Present{}, in.from)
	}
	return out
}

// masking makes a mask of the steps whose elements all equal a value, and sets these steps to 0.
func masking(b *builder, l *kerasLayer, in value) value {
	l.rankOf(in, 2)
	in = b.lastTyped(in)
	mask := b.add(l.name+"-mask", vertex.Present{Value: l.float("mask_value", 0)}, in.from)
	out := in.with(b.add(l.name, vertex.ElementWise{Op: vertex.Product}, in.from, mask), in.shape...)
	out.mask = mask
	return out
}
