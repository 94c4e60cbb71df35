package data

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

// fixture reads the arrays PART_features and PART_labels (or PART_features_0, …): the data to which Deeplearning4j's
// normalizers were fitted, their inputs and their outputs.
func fixture(t *testing.T, dir, part string) *MultiDataSet {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Files map[string]struct {
			File  string
			Shape tensor.Shape
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	m := &MultiDataSet{}
	for _, l := range []struct {
		kind string
		list *[]*tensor.Dense
	}{{"features", &m.Features}, {"labels", &m.Labels}} {
		for i := range 2 {
			f, ok := manifest.Files[fmt.Sprintf("%s_%s_%d", part, l.kind, i)]
			if i == 0 && !ok {
				f, ok = manifest.Files[part+"_"+l.kind]
			}
			if !ok {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, f.File))
			if err != nil {
				t.Fatal(err)
			}
			a := tensor.New(f.Shape...)
			if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, a.Data); err != nil {
				t.Fatal(err)
			}
			*l.list = append(*l.list, a)
		}
	}
	return m
}

func compare(t *testing.T, what string, got, want []*tensor.Dense, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d arrays, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		for j, v := range w.Data {
			if !near.Equal(got[i].Data[j], v, tolerance, tolerance) {
				t.Errorf("%s %d: element %d is %v, want %v", what, i, j, got[i].Data[j], v)
				return
			}
		}
	}
}

func TestNormalizersOfDeeplearning4j(t *testing.T) {
	for name, fresh := range map[string]Normalizer{
		"imagescaler": NewImageScaler(), "minmax": NewMinMax(0, 1, false), "standardize": NewStandardize(false),
		"multi-standardize": NewMultiStandardize(true),
	} {
		dir := filepath.Join("testdata", "normalizers", name)
		file, err := os.ReadFile(filepath.Join(dir, "normalizer.bin"))
		if err != nil {
			t.Fatal(err)
		}
		saved, err := ReadNormalizer(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var again bytes.Buffer
		if err := WriteNormalizer(&again, saved); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("%s is written differently: %v\n%x\n%x", name, err, again.Bytes(), file)
		}
		if f, ok := fresh.(Fitter); ok {
			if err := f.Fit(fixture(t, dir, "fit").Batches(7)); err != nil {
				t.Fatal(err)
			}
		}
		if again.Reset(); WriteNormalizer(&again, fresh) != nil || again.Len() != len(file) {
			t.Errorf("%s, fitted here, takes %d bytes, not %d", name, again.Len(), len(file))
		}
		for how, n := range map[string]Normalizer{"as saved": saved, "as fitted": fresh} {
			m, in, want := fixture(t, dir, "in"), fixture(t, dir, "in"), fixture(t, dir, "out")
			if err := n.Transform(m); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			compare(t, name+" "+how+": features", m.Features, want.Features, 2e-6)
			compare(t, name+" "+how+": labels", m.Labels, want.Labels, 2e-6)
			if err := n.Revert(m); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			compare(t, name+" "+how+": reverted features", m.Features, in.Features, 2e-6)
			compare(t, name+" "+how+": reverted labels", m.Labels, in.Labels, 2e-6)
		}
	}
}

// TestMaskedSeries: the statistics of a time series count the unmasked steps; masked steps become zero.
func TestMaskedSeries(t *testing.T) {
	x := tensor.MustOf([]float32{1, 3, 99, 10, 30, 99, 5, 99, 99, 50, 99, 99}, 2, 2, 3)
	mask := tensor.MustOf([]float32{1, 1, 0, 1, 0, 0}, 2, 3)
	m := &MultiDataSet{Features: []*tensor.Dense{x}, FeatureMasks: []*tensor.Dense{mask}}
	n := NewStandardize(false)
	if err := n.Fit(m.Batches(1)); err != nil {
		t.Fatal(err)
	}
	std := float32(math.Sqrt(8.0 / 3))
	compare(t, "mean and deviation", []*tensor.Dense{tensor.MustOf(n.Inputs[0].First, 2),
		tensor.MustOf(n.Inputs[0].Second, 2)},
		[]*tensor.Dense{tensor.MustOf([]float32{3, 30}, 2), tensor.MustOf([]float32{std, 10 * std}, 2)}, 1e-6)
	if err := n.Transform(m); err != nil {
		t.Fatal(err)
	}
	s := 2 / std
	compare(t, "series", m.Features, []*tensor.Dense{tensor.MustOf([]float32{-s, 0, 0, -s, 0, 0, s, 0, 0, s, 0, 0}, 2, 2,
		3)}, 1e-6)
	if err := n.Revert(m); err != nil {
		t.Fatal(err)
	}
	compare(t, "reverted", m.Features, []*tensor.Dense{tensor.MustOf([]float32{1, 3, 0, 10, 30, 0, 5, 0, 0, 50, 0, 0}, 2,
		2, 3)}, 1e-6)
}

// TestMaskedStepsMayHoldAnything: padding becomes zero even if it is NaN.
func TestMaskedStepsMayHoldAnything(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, n := range []*Scaler{NewStandardize(false), NewMinMax(0, 1, false)} {
		m := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{1, 3, nan, 5, inf, -inf}, 2, 1, 3)},
			FeatureMasks: []*tensor.Dense{tensor.MustOf([]float32{1, 1, 0, 1, 0, 0}, 2, 3)}}
		for _, f := range []func(*MultiDataSet) error{n.Transform, n.Revert} {
			if n.Inputs == nil {
				if err := n.Fit(m.Batches(1)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f(m); err != nil {
				t.Fatal(err)
			}
			if x := m.Features[0].Data; x[2] != 0 || x[4] != 0 || x[5] != 0 || m.CheckFinite() != nil {
				t.Errorf("%s: %v", n.Type(), x)
			}
		}
	}
}

// TestLabelsThatAreTheFeatures: if an autoencoder's labels are its features, they are scaled as if they were a separate
// array, which they are after a transfer to another process.
func TestLabelsThatAreTheFeatures(t *testing.T) {
	x := func() *tensor.Dense { return tensor.MustOf([]float32{0, 5, 9, 2, 4, 10}, 2, 3, 1, 1) }
	for name, n := range map[string]Normalizer{"image": NewImageScaler(), "VGG16": VGG16Normalizer{},
		"standardize": NewStandardize(false),
		"with labels": NewStandardize(true), "min max": NewMinMax(-1, 1, false)} {
		if f, ok := n.(Fitter); ok {
			if err := f.Fit(Of(&MultiDataSet{Features: []*tensor.Dense{x()},
				Labels: []*tensor.Dense{x()}})); err != nil {
				t.Fatal(err)
			}
		}
		one := x()
		arrays := []*tensor.Dense{one}
		shared := &MultiDataSet{Features: arrays, Labels: arrays}
		apart := &MultiDataSet{Features: []*tensor.Dense{x()}, Labels: []*tensor.Dense{x()}}
		for _, f := range []func(*MultiDataSet) error{n.Transform, n.Revert} {
			if err := errors.Join(f(shared), f(apart)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(shared.Features[0].Data, apart.Features[0].Data) ||
				!slices.Equal(shared.Labels[0].Data, apart.Labels[0].Data) {
				t.Errorf("%s: features %v and labels %v, want %v and %v", name, shared.Features[0].Data, shared.Labels[0].Data,
					apart.Features[0].Data, apart.Labels[0].Data)
			}
		}
		if shared.Features[0] != one {
			t.Errorf("%s: the features are not changed in place", name)
		}
	}
}

func TestImagesByChannel(t *testing.T) {
	x := tensor.New(4, 2, 3, 3)
	for i := range x.Data {
		x.Data[i] = float32(i%18/9*100 + i%7)
	}
	m := &MultiDataSet{Features: []*tensor.Dense{x}}
	n := NewMinMax(-1, 1, false)
	if err := n.Fit(m.Batches(3)); err != nil {
		t.Fatal(err)
	}
	if want := (ColumnStatistics{[]float32{0, 100}, []float32{6, 106}}); !reflect.DeepEqual(n.Inputs[0], want) {
		t.Errorf("ranges %v, want %v", n.Inputs[0], want)
	}
	vgg := &MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 3, 1, 1)}}
	if err := (VGG16Normalizer{}).Transform(vgg); err != nil || vgg.Features[0].Data[1] != -116.779 {
		t.Errorf("%v, %v", vgg.Features[0], err)
	}
	if err := (VGG16Normalizer{}).Transform(m); err == nil {
		t.Error("images of two channels pass")
	}
}

func TestConstantColumns(t *testing.T) {
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{5, 5, 5}, 3, 1)}}
	for _, n := range []*Scaler{NewStandardize(false), NewMinMax(0, 1, false)} {
		c := m.Clone()
		if err := errors.Join(n.Fit(c.Batches(2)), n.Transform(c)); err != nil || c.Features[0].Data[0] != 0 ||
			c.CheckFinite() != nil {
			t.Errorf("%s: %v, %v", n.Type(), c.Features[0], err)
		}
	}
}

// TestRangesOfLargeNumbers: a constant column stays finite if float32 has no number between it and it plus 1e-5, and so
// does a value that the data for fitting did not have. Deeplearning4j's files with such a range give the same results.
func TestRangesOfLargeNumbers(t *testing.T) {
	for _, year := range []float32{255, 256, 300, 2024, -2024, 1e6, 1 << 24, -1e20, 3e38} {
		m := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{year, year, year}, 3, 1)}}
		fitted := NewMinMax(-1, 1, false)
		if err := fitted.Fit(m.Batches(2)); err != nil {
			t.Fatal(err)
		}
		foreign := *fitted
		foreign.Inputs = []ColumnStatistics{{[]float32{year}, []float32{year}}}
		var file bytes.Buffer
		if err := WriteNormalizer(&file, &foreign); err != nil {
			t.Fatal(err)
		}
		read, err := ReadNormalizer(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for how, n := range map[string]Normalizer{"fitted": fitted, "read": read} {
			x := m.Clone()
			if err := n.Transform(x); err != nil || !slices.Equal(x.Features[0].Data, []float32{-1, -1, -1}) {
				t.Errorf("%v, %s: %v, %v", year, how, x.Features[0].Data, err)
			}
			if err := n.Revert(x); err != nil || !slices.Equal(x.Features[0].Data, m.Features[0].Data) {
				t.Errorf("%v, %s: back to %v, %v", year, how, x.Features[0].Data, err)
			}
			unseen := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{year - 1, year * 1.1, 0}, 3, 1)}}
			if err := errors.Join(n.Transform(unseen), unseen.CheckFinite()); err != nil {
				t.Errorf("%v, %s: unseen values: %v", year, how, err)
			}
		}
	}
	wide := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{-3e38, 0, 3e38}, 3, 1)}}
	x, n := wide.Clone(), NewMinMax(0, 1, false)
	if err := errors.Join(n.Fit(wide.Batches(3)), n.Transform(x)); err != nil ||
		!slices.Equal(x.Features[0].Data, []float32{0, 0.5, 1}) {
		t.Errorf("a range wider than float32's numbers: %v, %v", x.Features[0].Data, err)
	}
	if err := n.Revert(x); err != nil || !slices.Equal(x.Features[0].Data, wide.Features[0].Data) {
		t.Errorf("a range wider than float32's numbers: back to %v, %v", x.Features[0].Data, err)
	}
}

// TestFitRefusesNaN: a NaN would later make the whole column NaN, without an error.
func TestFitRefusesNaN(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, bad := range []float32{nan, inf, -inf} {
		for _, n := range []*Scaler{NewStandardize(false), NewMinMax(0, 1, false)} {
			m := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{1, 2, 3, bad, 5, 6}, 3, 2)}}
			if err := n.Fit(m.Batches(2)); err == nil || !strings.Contains(err.Error(), "column 1") {
				t.Errorf("%s with %v: %v", n.Type(), bad, err)
			}
		}
	}
}

func hybrid(t *testing.T) (*Scaler, *MultiDataSet) {
	t.Helper()
	m := &MultiDataSet{
		Features: []*tensor.Dense{tensor.MustOf([]float32{1, 2, 3}, 3, 1),
			tensor.MustOf([]float32{0, 5, 10}, 3, 1), tensor.New(3, 2)},
		Labels: []*tensor.Dense{tensor.MustOf([]float32{4, 6, 8}, 3, 1)},
	}
	n := NewHybridScaler(ScalerStrategy{Kind: Standardize}, ScalerStrategy{MinMax, 0, 1},
		map[int]ScalerStrategy{1: {MinMax, -1, 1}, 2: {}}, nil)
	if err := n.Fit(m.Batches(3)); err != nil {
		t.Fatal(err)
	}
	return n, m
}

func TestHybrid(t *testing.T) {
	n, m := hybrid(t)
	var b bytes.Buffer
	if err := WriteNormalizer(&b, n); err != nil {
		t.Fatal(err)
	}
	again, err := ReadNormalizer(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Transform(m); err != nil {
		t.Fatal(err)
	}
	s := float32(math.Sqrt(1.5))
	compare(t, "features", m.Features, []*tensor.Dense{tensor.MustOf([]float32{-s, 0, s}, 3, 1),
		tensor.MustOf([]float32{-1, 0, 1}, 3, 1),
		tensor.New(3, 2)}, 1e-6)
	compare(t, "labels", m.Labels, []*tensor.Dense{tensor.MustOf([]float32{0, 0.5, 1}, 3, 1)}, 1e-6)
}

// TestMultiNormalizersOfDeeplearning4j reads the files of MultiNormalizerHybrid and MultiNormalizerMinMaxScaler, fits
// the same normalizers, and compares their results.
func TestMultiNormalizersOfDeeplearning4j(t *testing.T) {
	read := func(name string) *MultiDataSet {
		m, err := ReadFile(t.Context(), "testdata/normalizers/multi/"+name+".bin")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, fresh := range map[string]*Scaler{
		"hybrid": NewHybridScaler(ScalerStrategy{Kind: Standardize}, ScalerStrategy{MinMax, 0, 1},
			map[int]ScalerStrategy{1: {MinMax, -1, 1}}, nil),
		"multiminmax": NewMultiMinMax(-2, 3, true),
	} {
		file, err := os.ReadFile("testdata/normalizers/multi/" + name + ".bin")
		if err != nil {
			t.Fatal(err)
		}
		saved, err := ReadNormalizer(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := WriteNormalizer(&again, saved); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("%s is written differently: %v", name, err)
		}
		if err := fresh.Fit(read("in").Batches(6)); err != nil {
			t.Fatal(err)
		}
		for _, n := range []Normalizer{saved, fresh} {
			m, want := read("in"), read("out-"+name)
			if err := n.Transform(m); err != nil {
				t.Fatal(err)
			}
			compare(t, name+": features", m.Features, want.Features, 2e-6)
			compare(t, name+": labels", m.Labels, want.Labels, 2e-6)
		}
	}
}

func TestWhatANormalizerRefuses(t *testing.T) {
	n := NewStandardize(false)
	three := &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3)}}
	if n.Transform(three) == nil || WriteNormalizer(&bytes.Buffer{}, n) == nil || n.Fit(Of()) == nil {
		t.Error("a normalizer works without statistics")
	}
	if err := n.Fit(Of(three)); err != nil {
		t.Fatal(err)
	}
	four := &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 4)}}
	if err := n.Transform(four); err == nil || !strings.Contains(err.Error(), "3 columns") {
		t.Errorf("4 columns: %v", err)
	}
	var b bytes.Buffer
	WriteNormalizer(&b, n)
	good := b.Bytes()
	for name, bad := range map[string][]byte{
		"truncated": good[:len(good)-1], "longer": append(bytes.Clone(good), 0), "foreign": []byte("hello"),
		"version": bytes.Replace(good, []byte{0, 0, 0, 1}, []byte{0, 0, 0, 2}, 1),
		"type":    bytes.Replace(good, []byte("STANDARD"), []byte("STONDARD"), 1),
	} {
		_, err := ReadNormalizer(bytes.NewReader(bad), int64(len(bad)))
		var f *dl4j.FormatError
		if !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestImagesAmongOtherInputs: Deeplearning4j's ImageMultiPreProcessingScaler(-1, 1, 8, {1}) does not change the other
// inputs.
func TestImagesAmongOtherInputs(t *testing.T) {
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{255, 3}, 1, 2),
		tensor.MustOf([]float32{0, 127.5, 255, 51}, 1, 1, 2, 2)}}
	s := &ImageScaler{Min: -1, Max: 1, MaxPixel: 255, Features: []int{1, 1}}
	if err := s.Transform(m); err != nil {
		t.Fatal(err)
	}
	if got := m.Features[1].Data; !slices.Equal(got, []float32{-1, 0, 1, -0.6}) || m.Features[0].Data[0] != 255 {
		t.Errorf("became %v and %v", m.Features[0].Data, got)
	}
	if err := s.Revert(m); err != nil || !near.Equal(m.Features[1].Data[3], 51, 1e-4, 0) || m.Features[0].Data[1] != 3 {
		t.Errorf("back to %v (%v)", m.Features[1].Data, err)
	}
	if err := (&ImageScaler{Max: 1, MaxPixel: 255, Features: []int{2}}).Transform(m); err == nil {
		t.Error("an array that is not there is scaled")
	}
	if err := WriteNormalizer(io.Discard, s); err == nil {
		t.Error("it is saved, in a form that Deeplearning4j does not have")
	}
}
