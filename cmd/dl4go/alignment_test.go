package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/tensor"
)

// sequencesBy opens a directory of sequences with the flags of a command.
func sequencesBy(t *testing.T, dir string, flags ...string) (source.Table, error) {
	t.Helper()
	var f dataFlags
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.add(fs)
	if err := fs.Parse(flags); err != nil {
		t.Fatal(err)
	}
	n, err := f.Name("data", "csvseq:"+dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.OpenName(t.Context(), n, source.Options{})
	if err != nil {
		return nil, err
	}
	return s.(source.Table), nil
}

// aligned compares a minibatch of one input with wanted arrays. A mask that is missing has ones only.
func aligned(t *testing.T, where string, s source.Table, from, to int, want map[string]*tensor.Dense) {
	t.Helper()
	m := s.Range(from, to)
	ones := tensor.New(m.Features[0].Shape[0], m.Features[0].Shape[2])
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	got := map[string]*tensor.Dense{"features": m.Features[0], "labels": m.Labels[0], "features-mask": m.FeatureMask(0)}
	if len(m.LabelMasks) > 0 {
		got["labels-mask"] = m.LabelMasks[0]
	}
	for _, name := range []string{"features", "labels", "features-mask", "labels-mask"} {
		g, w := got[name], want[name]
		if g == nil {
			g = ones
		}
		if w == nil {
			w = ones
		}
		same := func(a, b float32) bool { return near.Equal(a, b, 0, 3e-7) }
		if !slices.Equal(g.Shape, w.Shape) || !slices.EqualFunc(g.Data, w.Data, same) {
			t.Errorf("%s, %s of %d to %d: %v %v, wanted %v %v", where, name, from, to-1, g.Shape, g.Data, w.Shape, w.Data)
		}
	}
}

// TestAlignmentOracle: the flags of csvseq: data give the arrays and masks of DataVec's
// SequenceRecordReaderDataSetIterator.
func TestAlignmentOracle(t *testing.T) {
	root := t.TempDir()
	extract(t, "../../data/records/testdata/iterator.zip", root)
	for name, flags := range map[string]string{
		"align-start-1":           "--sequence-labels DIR/labels --align start --classes 3",
		"align-start-one-label-1": "--sequence-labels DIR/labels --align start --classes 3",
		"align-end-1":             "--sequence-labels DIR/labels --align end --classes 3",
		"align-end-one-label-1":   "--sequence-labels DIR/labels --align end --classes 3",
		"equal-length-1":          "--sequence-labels DIR/labels --align equal --classes 3",
		"unequal-longer-1":        "--sequence-labels DIR/labels --align equal --classes 2",
		"unequal-shorter-1":       "--sequence-labels DIR/labels --classes 2",
		"single-1":                "--label 2 --classes 2",
		"single-regression-1":     "--label 1,2 --regression",
	} {
		dir := filepath.Join(root, "iterator", "sequence-"+name)
		text, err := os.ReadFile(filepath.Join(dir, "reader.json"))
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Batch   int `json:"batch_size"`
			Batches int
			Error   string
		}
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		place := filepath.Join(dir, "features")
		if strings.HasPrefix(name, "single") {
			place = filepath.Join(dir, "data")
		}
		s, err := sequencesBy(t, place, strings.Fields(strings.ReplaceAll(flags, "DIR", dir))...)
		if err != nil { // DataVec refuses sequences of different lengths for EQUAL_LENGTH, and we pad them
			t.Errorf("%s: %v; DataVec: %s", name, err, c.Error)
		}
		for i := range c.Batches {
			want := map[string]*tensor.Dense{}
			for _, array := range []string{"features", "labels", "features-mask", "labels-mask"} {
				a, err := npy.ReadFile(t.Context(), filepath.Join(dir, fmt.Sprint("batch-", i), array+".npy"))
				if err == nil {
					want[array] = a
				} else if !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			aligned(t, name, s, i*c.Batch, min((i+1)*c.Batch, s.Info().Examples), want)
		}
	}
}

// TestAlignmentNaive: --align places the labels of sequences of many lengths as a second implementation does.
func TestAlignmentNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, align := range []string{"start", "end", "equal"} {
		dir := t.TempDir()
		var x, y [][]float32 // of each sequence: a feature for each step, and two labels for each labelled step
		for i := range 40 {
			steps := 1 + r.IntN(7)
			labelled := steps
			if align != "equal" {
				labelled = 1 + r.IntN(steps)
			} else if steps == 1 {
				steps, labelled = 2, 2
			}
			for name, width := range map[string]int{"x": 1, "y": 2} {
				n, list := steps, &x
				if name == "y" {
					n, list = labelled, &y
				}
				var all []float32
				text := ""
				for range n {
					for k := range width {
						v := float32(r.IntN(1000)+1) / 8
						all = append(all, v)
						text += fmt.Sprint(v) + map[bool]string{true: "\n", false: ","}[k == width-1]
					}
				}
				*list = append(*list, all)
				path := filepath.Join(dir, name, fmt.Sprintf("%02d.csv", i))
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		s, err := sequencesBy(t, dir+"/x", "--sequence-labels", dir+"/y", "--align", align, "--regression", "--label",
			"label0,label1")
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{1, 3, 40} {
			for from := 0; from < 40; from += batch {
				to := min(from+batch, 40)
				aligned(t, align, s, from, to, alignedNaively(align, x[from:to], y[from:to]))
			}
		}
	}
}

// alignedNaively makes the arrays and masks by the definition of DataVec's AlignmentMode.
func alignedNaively(align string, x, y [][]float32) map[string]*tensor.Dense {
	n, longest := len(x), 0
	for i := range x {
		longest = max(longest, len(x[i]), len(y[i])/2)
	}
	features, labels := tensor.New(n, 1, longest), tensor.New(n, 2, longest)
	seen, labelled := tensor.New(n, longest), tensor.New(n, longest)
	for i := range x {
		ends := max(len(x[i]), len(y[i])/2)
		place := func(step, steps int) int {
			if align == "end" {
				return ends - steps + step
			}
			return step
		}
		for step, v := range x[i] {
			at := place(step, len(x[i]))
			features.Data[i*longest+at], seen.Data[i*longest+at] = v, 1
		}
		for step := range len(y[i]) / 2 {
			at := place(step, len(y[i])/2)
			labelled.Data[i*longest+at] = 1
			for k := range 2 {
				labels.Data[(i*2+k)*longest+at] = y[i][step*2+k]
			}
		}
	}
	return map[string]*tensor.Dense{"features": features, "labels": labels, "features-mask": seen, "labels-mask": labelled}
}

// extract writes the files of a zip archive below a directory.
func extract(t *testing.T, archive, to string) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		path := filepath.Join(to, filepath.FromSlash(f.Name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o777)
		}
		if err == nil {
			err = os.WriteFile(path, content, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
