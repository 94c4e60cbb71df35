//go:build dl4j

package nn

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// normalizers adds a file of every kind of normalizer, with data for Deeplearning4j to transform and to revert.
func (x *interop) normalizers() {
	sequence, image := inputtype.Recurrent(3, 5), inputtype.Convolutional(4, 3, 2)
	rows := minibatch(4, 1, inputtype.FeedForward(4))
	steps := &data.MultiDataSet{Features: minibatch(4, 0, sequence).Features, Labels: minibatch(4, 0, sequence).Features,
		FeatureMasks: []*tensor.Dense{stepMask()}, LabelMasks: []*tensor.Dense{stepMask()}}
	images := minibatch(4, 1, image)
	several := minibatch(4, 2, inputtype.FeedForward(4), image, sequence)
	several.FeatureMasks = []*tensor.Dense{nil, nil, stepMask()}
	// The statistics come from other data than the transformed data.
	fitted := func(n data.Fitter, m *data.MultiDataSet) data.Normalizer {
		m = m.Clone()
		for _, f := range slices.Concat(m.Features, m.Labels) {
			for i := range f.Data {
				f.Data[i] = 1.7*f.Data[i] + float32(i%5) - 0.3
			}
		}
		x.must("normalizers", n.Fit(data.Of(m)))
		return n
	}
	standard, minMax := data.ScalerStrategy{Kind: data.Standardize}, data.ScalerStrategy{Kind: data.MinMax,
		Min: -1, Max: 2}
	for _, c := range []struct {
		name, class string
		n           data.Normalizer
		m           *data.MultiDataSet
	}{
		{"standardize", "NormalizerStandardize", fitted(data.NewStandardize(false), rows), rows},
		{"standardize, labels and masks", "NormalizerStandardize", fitted(data.NewStandardize(true), steps), steps},
		{"minmax", "NormalizerMinMaxScaler", fitted(data.NewMinMax(0, 1, false), images), images},
		{"minmax, labels", "NormalizerMinMaxScaler", fitted(data.NewMinMax(-1, 2, true), rows), rows},
		{"images", "ImagePreProcessingScaler", &data.ImageScaler{Min: -1, Max: 1, MaxPixel: 255}, images},
		{"multi standardize", "MultiNormalizerStandardize", fitted(data.NewMultiStandardize(true), several), several},
		{"multi standardize, no labels", "MultiNormalizerStandardize", fitted(data.NewMultiStandardize(false), several),
			several},
		{"multi minmax", "MultiNormalizerMinMaxScaler", fitted(data.NewMultiMinMax(-1, 1, true), several), several},
		{"hybrid", "MultiNormalizerHybrid",
			fitted(data.NewHybridScaler(standard, minMax, map[int]data.ScalerStrategy{1: minMax},
				map[int]data.ScalerStrategy{1: standard}), several), several},
		{"hybrid, some", "MultiNormalizerHybrid", fitted(data.NewHybridScaler(data.ScalerStrategy{}, data.ScalerStrategy{},
			map[int]data.ScalerStrategy{0: standard}, nil), several), several},
	} {
		name := "normalizer/" + c.name
		var file bytes.Buffer
		x.must(name, data.WriteNormalizer(&file, c.n))
		x.must(name, os.WriteFile(filepath.Join(x.folder(name), "normalizer.bin"), file.Bytes(), 0o644))
		x.data(name, c.m, len(c.m.Features) > 1)
		transformed := c.m.Clone()
		x.must(name, c.n.Transform(transformed))
		reverted := transformed.Clone()
		x.must(name, c.n.Revert(reverted))
		x.cases = append(x.cases, interopCase{Name: name, Kind: "normalizer",
			check: func(t *testing.T, dir string, r *interopResult) {
				if r.Class != c.class {
					t.Errorf("Deeplearning4j reads a %s, want a %s", r.Class, c.class)
				}
				if again := must(os.ReadFile(filepath.Join(dir, "normalizer-again.bin"))); !bytes.Equal(again, file.Bytes()) {
					t.Errorf("what Deeplearning4j has read it writes as %x, want %x", again, file.Bytes())
				}
				for what, want := range map[string]*data.MultiDataSet{"transformed": transformed, "reverted": reverted} {
					got, err := data.ReadFile(t.Context(), filepath.Join(dir, what+".bin"))
					if err != nil {
						t.Fatal(err)
					}
					for i, a := range slices.Concat(want.Features, want.Labels) {
						oracleClose(t, what, slices.Concat(got.Features, got.Labels)[i].Data, a.Data, 1e-5, 1e-5, nil)
					}
				}
			}})
	}
}

// dataSets adds data sets with all optional arrays.
func (x *interop) dataSets() {
	sequence := inputtype.Recurrent(3, 5)
	plain := minibatch(4, 1, inputtype.FeedForward(4))
	named := minibatch(4, 1, inputtype.FeedForward(4))
	named.Meta, named.LabelNames = []string{"a", "b", "ü", "d"}, []string{"one", "two", "three"}
	features := minibatch(4, 0, sequence)
	masked := &data.MultiDataSet{Features: features.Features, Labels: minibatch(4, 0, sequence).Features,
		FeatureMasks: []*tensor.Dense{stepMask()}, LabelMasks: []*tensor.Dense{stepMask()}}
	several := minibatch(4, 2, sequence, inputtype.Convolutional(4, 3, 2), inputtype.Convolutional3D(2, 3, 2, 2))
	several.FeatureMasks = []*tensor.Dense{stepMask(), nil, nil}
	for name, m := range map[string]*data.MultiDataSet{"plain": plain, "metadata and label names": named, "masks": masked,
		"without labels": features, "several": several} {
		name, multi := "data/"+name, len(m.Features) > 1
		x.data(name, m, multi)
		if multi {
			x.must(name, os.WriteFile(filepath.Join(x.folder(name), "multi"), nil, 0o644))
		}
		x.cases = append(x.cases, interopCase{Name: name, Kind: "data",
			check: func(t *testing.T, dir string, r *interopResult) {
				if !slices.Equal(r.Metadata, m.Meta) || !slices.Equal(r.LabelNames, m.LabelNames) {
					t.Errorf("Deeplearning4j reads the metadata %q and the label names %q, want %q and %q", r.Metadata, r.LabelNames,
						m.Meta, m.LabelNames)
				}
				again, err := data.ReadFile(t.Context(), filepath.Join(dir, "data-again.bin"))
				if err != nil {
					t.Fatal(err)
				}
				var a, b bytes.Buffer
				x.must(name, writeRow(&a, m))
				x.must(name, writeRow(&b, again))
				if !bytes.Equal(a.Bytes(), b.Bytes()) {
					t.Error("what Deeplearning4j has read and written is not what we wrote")
				}
			}})
	}
}

func writeRow(out io.Writer, m *data.MultiDataSet) error {
	_, err := out.Write(data.AppendRow(nil, m))
	return err
}

// commandLine adds models that the program itself trained, in each way.
func (x *interop) commandLine() {
	program := filepath.Join(x.dir, "dl4go")
	run := func(name string, args ...string) {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			x.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	run("building dl4go", "go", "build", "-o", program, "../cmd/dl4go")
	pixels := minibatch(4, 0, inputtype.FeedForward(64)).Features
	digits := examples(4, 1, 10)
	digits.Features = pixels
	for _, c := range []struct {
		name, model, normalize, length string
		limits                         interopLimits
	}{
		{"averaging", "mlp", "minmax", "--iterations=4", interopLimits{}},
		{"plain", "lenet", "standardize", "--iterations=4", interopLimits{}},
		{"sharing", "cnn", "standardize", "--epochs=1", interopLimits{unlike: randomStep}},
	} {
		name := "train/" + c.name
		run(name, program, "train", "--training", c.name, "--model", c.model, "--normalize", c.normalize, "--test", "none",
			c.length,
			"--save", filepath.Join(x.folder(name), "model.zip"))
		x.model(name, digits, c.limits)
	}
	x.columns(program, run)
}

// columns adds a model of raw columns. Deeplearning4j opens the network and ignores the pipeline beside it. DataVec
// runs that pipeline to the same values, including rows with gaps and unknown categories.
func (x *interop) columns(program string, run func(name string, args ...string)) {
	const name, steps = "train/columns", "pipeline/columns"
	dir, raw := x.folder(name), filepath.Join(x.folder(steps), "raw.csv")
	var table strings.Builder
	table.WriteString("weight,island,seen,tagged,kind\n")
	for i := range 60 {
		weight := fmt.Sprint(100 + 37*i%59)
		if i%11 == 4 {
			weight = []string{"", "NA"}[i%2]
		}
		fmt.Fprintf(&table, "%s,%s,2024-%02d-%02d,%s,%s\n", weight, []string{"Runde", "Rost", "Utsira"}[i%3], 1+i%12, 1+i%28,
			[]string{"yes", "no"}[i*i%5%2], []string{"auk", "tern"}[i%2])
	}
	x.must(name, os.WriteFile(raw, []byte(table.String()), 0o600))
	run(name, program, "train", "--data", "csv:"+raw, "--label", "kind", "--epochs", "2", "--save",
		filepath.Join(dir, "model.zip"))
	table.WriteString("177.5,Nowhere,2031-12-31,maybe,auk\n,,2024-06-01,,tern\n")
	x.must(name, os.WriteFile(raw, []byte(table.String()), 0o600))

	net := oracleLoad(x.T, filepath.Join(dir, "model.zip"))
	text, _ := net.Pipeline()
	width, _ := net.nodes[0].layer.(layer.Dense).Sizes()
	net.Close()
	if text == nil {
		x.Fatalf("%s: the model has no pipeline", name)
	}
	m := examples(4, 1, 2)
	m.Features = minibatch(4, 0, inputtype.FeedForward(width)).Features
	x.model(name, m, interopLimits{})

	dir = x.folder(steps)
	x.must(steps, os.WriteFile(filepath.Join(dir, "pipeline.json"), text, 0o600))
	run(steps, program, "transform", "--pipeline", filepath.Join(dir, "pipeline.json"), "--data", "csv:"+raw, "--output",
		filepath.Join(dir, "ours.csv"))
	x.cases = append(x.cases, interopCase{Name: steps, Kind: "pipeline", check: compareTables})
}

// compareTables compares the values that a pipeline computes in dl4go and in DataVec.
func compareTables(t *testing.T, dir string, _ *interopResult) {
	var tables [2][][]string
	for i, file := range []string{"ours.csv", "theirs.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if tables[i], err = csv.NewReader(bytes.NewReader(b)).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	ours, theirs := tables[0], tables[1]
	if len(ours) != 63 || len(theirs) != len(ours) || !slices.Equal(ours[0], theirs[0]) {
		t.Fatalf("%d rows of %q, in DataVec %d of %q", len(ours), ours[0], len(theirs), theirs[0])
	}
	for i, row := range ours[1:] {
		for k, text := range row {
			x, err := strconv.ParseFloat(text, 64)
			y, other := strconv.ParseFloat(theirs[i+1][k], 64)
			same := text == theirs[i+1][k] || err == nil && other == nil && x == y
			if !same {
				t.Errorf("row %d, %s: %s, in DataVec %s", i, ours[0][k], text, theirs[i+1][k])
			}
		}
	}
}
