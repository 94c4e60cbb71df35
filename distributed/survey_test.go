package distributed_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// TestSurveyFiles checks that the workers' survey gives the same as source.OpenSaved.
func TestSurveyFiles(t *testing.T) {
	e, dir := start(t), t.TempDir()
	survey := func(paths ...string) (*distributed.Survey, error) {
		return distributed.SurveyFiles(ctx, source.Name{Kind: "dl4j", Place: dir},
			engine.ReadFiles(e, [][]string{paths[:len(paths)/2], paths[len(paths)/2:]}), source.Options{})
	}
	save := func(name string, m *data.MultiDataSet) string {
		path := filepath.Join(dir, name)
		if err := m.SaveFile(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var paths []string
	for i := range 5 {
		paths = append(paths, save(string(rune('a'+i)), numbered(i, 2+i)))
	}
	saved, err := source.OpenSaved(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := survey(paths...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Info, saved.Info(); got.Name != want.Name || got.Examples != want.Examples ||
		got.Classes != want.Classes ||
		!got.Features[0].Equal(want.Features[0]) || !got.Labels[0].Equal(want.Labels[0]) {
		t.Errorf("%+v, wanted %+v", got, want)
	}
	if len(s.Samples) != 1 || s.Samples[0].Examples() != 1 || s.Samples[0].Features[0].Data[1] != 100 ||
		s.From[0] != paths[0] || s.Files != 5 {
		t.Errorf("samples %v of %v", s.Samples, s.From)
	}
	wide := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 3)}}
	if _, err := survey(append(paths, save("f", wide))...); err == nil ||
		!strings.Contains(err.Error(), "/f: an example's features have the shape [3]") {
		t.Errorf("another kind of example: %v", err)
	}
	nan := numbered(0, 2)
	nan.Features[0].Data[1] = float32(math.NaN())
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("some text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := survey(append(paths, text, save("nan", nan))...); err == nil ||
		!strings.Contains(err.Error(), "2 of 7 files can't be used: "+text) || !strings.Contains(err.Error(), "/nan: ") {
		t.Errorf("files that can't be used: %v", err)
	}
	if _, err := survey(save("none", numbered(0, 1).Slice(0, 0))); err == nil ||
		!strings.Contains(err.Error(), "no examples") {
		t.Errorf("no examples: %v", err)
	}
}

// TestSurveyLibSVM checks that the workers' survey gives the same as source.OpenLibSVM, and that errors name the lines.
func TestSurveyLibSVM(t *testing.T) {
	e, dir := start(t), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	named := func(o source.LibSVM, path string) source.Name {
		n := o.Name(path)
		n.Text = "libsvm:" + path
		return n
	}
	good, none := write("good", "# two\n-1 1:1 3:0.5\n1 2:2 # the other\n-1\n"), write("none", "# nothing\n")
	for _, o := range []source.LibSVM{{Features: 3, Labels: []float64{-1, 1}}, {Features: 4, Regression: true}} {
		s, err := distributed.SurveyFiles(ctx, named(o, good),
			engine.ReadFiles(e, [][]string{{none}, {good}}), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := source.OpenLibSVM(t.Context(), good, o)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.Info, table.Info(); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, wanted %+v", got, want)
		}
		want, err := table.Object(0)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Samples) != 1 || !reflect.DeepEqual(s.Samples[0], want) || s.From[0] != good || s.Files != 2 {
			t.Errorf("samples %+v of %v in %d files, wanted %+v", s.Samples, s.From, s.Files, want)
		}
	}
	rows := engine.ReadFiles(e, [][]string{{good}, {write("bad", "1 1:1\n1 2:2 1:1\n"), write("wide", "\n\n1 9:1\n")}})
	_, err := distributed.SurveyFiles(ctx, named(source.LibSVM{Features: 3, Labels: []float64{-1, 1}}, dir),
		rows, source.Options{})
	if err == nil || !strings.Contains(err.Error(), "2 of 3 files can't be used: ") ||
		!strings.Contains(err.Error(), "bad:2: the index 1 comes after 2") ||
		!strings.Contains(err.Error(), "wide:3: the index 9 is beyond features=3") {
		t.Errorf("bad files: %v", err)
	}
	if _, err := distributed.SurveyFiles(ctx, named(source.LibSVM{Classes: 2}, dir), rows,
		source.Options{}); err == nil || !strings.Contains(err.Error(), "features=N is needed") {
		t.Errorf("without a number of features: %v", err)
	}
}
