package data

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

const (
	normalizerMark    = "NORMALIZER"
	normalizerVersion = 1
	imageType         = "IMAGE_MIN_MAX"
)

// WriteNormalizer writes a normalizer as Deeplearning4j's NormalizerSerializer does. It fails for normalizers that have
// no file there, such as a [VGG16Normalizer].
func WriteNormalizer(out io.Writer, n Normalizer) error {
	w := dl4j.NewWriter(out)
	head := func(fileType string) {
		w.UTF(normalizerMark)
		w.Int32(normalizerVersion)
		w.UTF(fileType)
	}
	switch n := n.(type) {
	case *ImageScaler:
		if n.Features != nil {
			return fmt.Errorf("Deeplearning4j's files have no form for an image scaler of single inputs")
		}
		head(imageType)
		for _, x := range []float64{n.Min, n.Max, n.MaxPixel} {
			w.Float64(x)
		}
	case *Scaler:
		if n.Inputs == nil {
			return fmt.Errorf("a normalizer that has not been fitted can't be saved")
		}
		head(n.fileType)
		n.write(w)
	default:
		return fmt.Errorf("Deeplearning4j's files have no form for a %T", n)
	}
	return w.Err()
}

func (n *Scaler) write(w *dl4j.Writer) {
	if n.fileType == "MULTI_HYBRID" {
		n.writeHybrid(w)
		return
	}
	fitLabels := n.Output.Kind != Unscaled
	multi := n.fileType == "MULTI_STANDARDIZE" || n.fileType == "MULTI_MIN_MAX"
	w.Bool(fitLabels)
	if multi {
		w.Int32(int32(len(n.Inputs)))
		outputs := -1
		if fitLabels {
			outputs = len(n.Outputs)
		}
		w.Int32(int32(outputs))
	}
	if n.Input.Kind == MinMax {
		w.Float64(n.Input.Min)
		w.Float64(n.Input.Max)
	}
	for _, s := range n.Inputs {
		writeStatistics(w, s)
	}
	if fitLabels {
		for _, s := range n.Outputs {
			writeStatistics(w, s)
		}
	}
}

func writeStatistics(w *dl4j.Writer, s ColumnStatistics) {
	for _, x := range [][]float32{s.First, s.Second} {
		w.Array(&tensor.Dense{Shape: tensor.Shape{1, len(x)}, Data: x}, dl4j.C)
	}
}

// writeHybrid writes maps of statistics and strategies, in the order of the index.
func (n *Scaler) writeHybrid(w *dl4j.Writer) {
	stats := func(list []ColumnStatistics, all ScalerStrategy, per map[int]ScalerStrategy) {
		count := int32(0)
		for _, s := range list {
			if s.First != nil {
				count++
			}
		}
		w.Int32(count)
		for i, s := range list {
			if s.First != nil {
				w.Int32(int32(i))
				w.Int32(int32(strategyOf(all, per, i).Kind))
				writeStatistics(w, s)
			}
		}
	}
	strategy := func(s ScalerStrategy) {
		w.Int32(int32(s.Kind))
		if s.Kind == MinMax {
			w.Float64(s.Min)
			w.Float64(s.Max)
		}
	}
	strategies := func(per map[int]ScalerStrategy) {
		w.Int32(int32(len(per)))
		for _, i := range slices.Sorted(maps.Keys(per)) {
			w.Int32(int32(i))
			strategy(per[i])
		}
	}
	stats(n.Inputs, n.Input, n.PerInput)
	stats(n.Outputs, n.Output, n.PerOutput)
	strategy(n.Input)
	strategy(n.Output)
	strategies(n.PerInput)
	strategies(n.PerOutput)
}

// ReadNormalizer reads a file of [WriteNormalizer] or of Deeplearning4j's NormalizerSerializer. size is the number of
// bytes, or -1 if that is not known. Errors are *[dl4j.FormatError]s, or those of the reader.
func ReadNormalizer(in io.Reader, size int64) (Normalizer, error) {
	r := dl4j.NewReader(bufio.NewReader(in), size)
	n, err := ReadNormalizerFrom(r)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ReadNormalizerFrom is [ReadNormalizer] for a normalizer that other data may follow.
func ReadNormalizerFrom(r *dl4j.Reader) (Normalizer, error) {
	if err := r.Expect(normalizerMark, "a normalizer"); err != nil {
		return nil, err
	}
	version, err := r.Int32()
	if err != nil {
		return nil, err
	}
	if version != normalizerVersion {
		return nil, r.Errorf("a normalizer of version %d: only %d is known", version, normalizerVersion)
	}
	fileType, err := r.UTF()
	if err != nil {
		return nil, err
	}
	f := normalizerReader{Reader: r}
	var n Normalizer
	switch fileType {
	case imageType:
		n = &ImageScaler{Min: f.float(), Max: f.float(), MaxPixel: f.float()}
	case "STANDARDIZE", "MULTI_STANDARDIZE":
		n = f.scaler(fileType, Standardize)
	case "MIN_MAX", "MULTI_MIN_MAX":
		n = f.scaler(fileType, MinMax)
	case "MULTI_HYBRID":
		n = f.hybrid()
	case "CUSTOM":
		class, err := r.UTF()
		if err != nil {
			return nil, err
		}
		return nil, r.Errorf("a normalizer with the serializer %.100q of its own, which is not known here", class)
	case "IMAGE_VGG16":
		return nil,
			r.Errorf("a normalizer of type IMAGE_VGG16, which has no form in Deeplearning4j's files: it is set in code")
	default:
		return nil, r.Errorf("a normalizer of the unknown type %.100q", fileType)
	}
	if f.err != nil {
		return nil, f.err
	}
	return n, nil
}

// normalizerReader keeps the first error.
type normalizerReader struct {
	*dl4j.Reader
	err error
}

func keep[T any](f *normalizerReader, read func() (T, error)) (x T) {
	if f.err == nil {
		x, f.err = read()
	}
	return x
}

func (f *normalizerReader) float() float64 {
	x := keep(f, f.Float64)
	if f.err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		f.err = f.Errorf("a normalizer with the bound %v", x)
	}
	return x
}

func (f *normalizerReader) count() int {
	n := keep(f, f.Int32)
	if f.err == nil && (n < 0 || n > maxArrays) {
		f.err = f.Errorf("a normalizer for %d arrays", n)
	}
	if f.err != nil {
		return 0
	}
	return int(n)
}

func (f *normalizerReader) scaler(fileType string, kind ScalerKind) *Scaler {
	fitLabels := keep(f, f.Bool)
	inputs, outputs := 1, 0
	if fitLabels {
		outputs = 1
	}
	if fileType[0:5] == "MULTI" {
		inputs = f.count()
		n := keep(f, f.Int32)
		if f.err == nil && (fitLabels && (n < 0 || n > maxArrays) || !fitLabels && n != -1) {
			f.err = f.Errorf("a normalizer for %d arrays of labels", n)
		}
		if f.err == nil && fitLabels {
			outputs = int(n)
		}
	}
	strategy := ScalerStrategy{Kind: kind}
	if kind == MinMax {
		strategy.Min, strategy.Max = f.float(), f.float()
	}
	n := newScaler(fileType, strategy, fitLabels)
	n.Inputs, n.Outputs = f.statistics(inputs, kind), f.statistics(outputs, kind)
	return n
}

func (f *normalizerReader) statistics(n int, kind ScalerKind) []ColumnStatistics {
	list := make([]ColumnStatistics, 0, n)
	for range n {
		list = append(list, f.statistic(kind))
	}
	return list
}

func (f *normalizerReader) statistic(kind ScalerKind) ColumnStatistics {
	var s ColumnStatistics
	for _, x := range []*[]float32{&s.First, &s.Second} {
		if f.err != nil {
			return s
		}
		a, _, err := f.Array()
		if f.err = err; err == nil {
			*x = a.Data
		}
	}
	if len(s.First) != len(s.Second) || len(s.First) == 0 {
		f.err = f.Errorf("a normalizer with statistics of %d and %d columns", len(s.First), len(s.Second))
		return s
	}
	s.widen(kind)
	return s
}

func (f *normalizerReader) hybrid() *Scaler {
	n := &Scaler{fileType: "MULTI_HYBRID"}
	kinds := [2]map[int]ScalerKind{{}, {}}
	n.Inputs = f.statisticsMap(kinds[0])
	n.Outputs = f.statisticsMap(kinds[1])
	n.Input, n.Output = f.strategy(), f.strategy()
	n.PerInput, n.PerOutput = f.strategies(), f.strategies()
	for i, k := range kinds {
		all, per := n.Input, n.PerInput
		if i == 1 {
			all, per = n.Output, n.PerOutput
		}
		for at, kind := range k {
			if f.err == nil && strategyOf(all, per, at).Kind != kind {
				f.err = f.Errorf("a normalizer whose statistics of array %d don't fit its strategy", at)
			}
		}
	}
	return n
}

func (f *normalizerReader) statisticsMap(kinds map[int]ScalerKind) []ColumnStatistics {
	list := []ColumnStatistics{}
	for range f.count() {
		i := f.index()
		kind := ScalerKind(keep(f, f.Int32))
		if f.err == nil && kind != Standardize && kind != MinMax {
			f.err = f.Errorf("a normalizer with statistics of the unknown kind %d", kind)
		}
		if f.err != nil {
			return nil
		}
		for len(list) <= i {
			list = append(list, ColumnStatistics{})
		}
		kinds[i] = kind
		list[i] = f.statistic(kind)
	}
	return list
}

func (f *normalizerReader) index() int {
	i := keep(f, f.Int32)
	if f.err == nil && (i < 0 || i >= maxArrays) {
		f.err = f.Errorf("a normalizer for array %d", i)
	}
	return int(i)
}

func (f *normalizerReader) strategy() ScalerStrategy {
	s := ScalerStrategy{Kind: ScalerKind(keep(f, f.Int32))}
	switch s.Kind {
	case Unscaled, Standardize:
	case MinMax:
		s.Min, s.Max = f.float(), f.float()
	default:
		if f.err == nil {
			f.err = f.Errorf("a normalizer with a strategy of the unknown kind %d", s.Kind)
		}
	}
	return s
}

func (f *normalizerReader) strategies() map[int]ScalerStrategy {
	per := map[int]ScalerStrategy{}
	for range f.count() {
		i := f.index()
		per[i] = f.strategy()
	}
	return per
}
