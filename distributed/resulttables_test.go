package distributed_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// TestResultsToATable writes a column for each output, keys that don't come from a query, and scores.
func TestResultsToATable(t *testing.T) {
	ctx := t.Context()
	f := &inTables{Engine: onEngine(t, "local[2]")}
	all := pairs()
	d, err := distributed.FromKeyed(f, maps.All(all), 3)
	if err != nil {
		t.Fatal(err)
	}
	net := twoByTwo(t)
	on := distributed.New(f, net, nil, distributed.Options{})
	predictions, err := on.Predict(ctx, d, distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer predictions.Release()
	if n, err := predictions.WriteTable(ctx, "out", distributed.TableOptions{Class: "c"}); err != nil || n != 31 {
		t.Fatalf("%d rows, error %v", n, err)
	}
	if want := columns("key string", "prediction_classes array<float>", "c_classes int",
		"prediction_number array<float>", "c_number int"); !slices.Equal(f.columnsWritten, want) {
		t.Errorf("columns %v", f.columnsWritten)
	}
	outputs, err := predictions.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for key, y := range outputs {
		want := []string{fmt.Sprint([]int{3}, y[0].Data),
			fmt.Sprintf("[] [%d]", slices.Index(y[0].Data, slices.Max(y[0].Data))), fmt.Sprint([]int{1}, y[1].Data), "[] [0]"}
		if got := f.wrote[fmt.Sprintf("%q", key)]; !slices.Equal(got, want) {
			t.Errorf("%s: %v, wanted %v", key, got, want)
		}
	}
	scores, err := on.ScoreExamples(ctx, d, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer scores.Release()
	losses, err := scores.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scores.WriteTable(ctx, "out", distributed.TableOptions{Keys: []string{"id"}}); err != nil ||
		!slices.Equal(f.columnsWritten, columns("id string", "score double")) {
		t.Fatalf("columns %v, error %v", f.columnsWritten, err)
	}
	for key, loss := range losses {
		if got := f.wrote[fmt.Sprintf("%q", key)]; !slices.Equal(got, []string{fmt.Sprintf("%q", fmt.Sprint(loss))}) {
			t.Errorf("%s: %v, wanted %v", key, got, loss)
		}
	}
	if _, err := scores.WriteTable(ctx, "out", distributed.TableOptions{Class: "c"}); err == nil {
		t.Error("scores have a class")
	}
}

// TestSeveralKeysToATable checks that the columns of a key, a line of CSV in the metadata, become columns of a table.
func TestSeveralKeysToATable(t *testing.T) {
	ctx := t.Context()
	f := &inTables{Engine: onEngine(t, "local[2]")}
	write := func(keys ...string) error {
		examples := make(map[string]*data.MultiDataSet)
		for i, m := range slices.Collect(maps.Values(pairs()))[:len(keys)] {
			examples[keys[i]] = m
		}
		d, err := distributed.FromKeyed(f, maps.All(examples), 2)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := distributed.New(f, twoByTwo(t), nil, distributed.Options{}).ScoreExamples(ctx, d, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer scores.Release()
		_, err = scores.WriteTable(ctx, "out", distributed.TableOptions{Keys: []string{"plant", "day"}})
		return err
	}
	if err := write("fern,1", `"moss, ""wet""",2`); err != nil {
		t.Fatal(err)
	}
	if want := columns("plant string", "day string", "score double"); !slices.Equal(f.columnsWritten, want) {
		t.Errorf("columns %v", f.columnsWritten)
	}
	for plant, day := range map[string]string{"fern": "1", `moss, "wet"`: "2"} {
		if got := f.wrote[fmt.Sprintf("%q", plant)]; len(got) != 2 || got[0] != fmt.Sprintf("%q", day) {
			t.Errorf("%s: %v", plant, got)
		}
	}
	if err := write("fern,1", "moss"); err == nil || !strings.Contains(err.Error(), `the key "moss"`) {
		t.Errorf("a key with one value: %v", err)
	}
}

// TestAnswersToATable checks that the names of an answer become the names of columns.
func TestAnswersToATable(t *testing.T) {
	ctx := t.Context()
	f := &inTables{Engine: onEngine(t, "local[2]")}
	test := digits(t, "test").Range(0, 5)
	for i := range 5 {
		test.Meta = append(test.Meta, fmt.Sprint("row", i))
	}
	memory, err := source.InMemory(source.InfoOf("digits", test), test)
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributed.FromSource(f, memory, 2)
	if err != nil {
		t.Fatal(err)
	}
	classes := strings.Fields("zero one two three four five six seven eight nine")
	on := distributed.New(f, digitsNet(t, "mlp"), nil, distributed.Options{})
	predictions, err := on.Predict(ctx, d, distributed.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer predictions.Release()
	for name, a := range map[string]source.Answer{
		"classes": {Task: source.Classification, Classes: classes},
		"numbers": {Task: source.Regression, Labels: classes},
		"several": {Task: source.MultiLabel, Labels: classes},
	} {
		if n, err := predictions.WriteTable(ctx, "out", distributed.TableOptions{Answer: &a}); err != nil || n != 5 {
			t.Fatalf("%s: %d rows, error %v", name, n, err)
		}
		want := []engine.Column{{Name: "key", Type: "string"}}
		for i, title := range a.Columns() {
			kind := "float"
			if i == 0 && name == "classes" {
				kind = "string"
			}
			want = append(want, engine.Column{Name: title, Type: kind})
		}
		if !slices.Equal(f.columnsWritten, want) {
			t.Errorf("%s: columns %v, wanted %v", name, f.columnsWritten, want)
		}
		outputs, err := predictions.ByKey(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for key, y := range outputs {
			var want []string
			if class, ok := a.Class(y[0].Data); ok {
				want = append(want, fmt.Sprintf("%q", class))
			}
			for _, v := range a.AppendNumbers(nil, y[0].Data) {
				want = append(want, fmt.Sprint("[] ", []float32{v}))
			}
			if got := f.wrote[fmt.Sprintf("%q", key)]; !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, wanted %v", name, key, got, want)
			}
		}
	}
	for name, o := range map[string]distributed.TableOptions{
		"Column and Class must be empty": {Answer: &source.Answer{Task: source.Regression}, Class: "c"},
		"labels are 1: a":                {Answer: &source.Answer{Task: source.Regression, Labels: []string{"a"}}},
	} {
		if _, err := predictions.WriteTable(ctx, "out", o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, wanted %q", err, name)
		}
	}
}
