package dl4go_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/train"
)

// preparedPenguins opens the penguins' raw columns.
func preparedPenguins(t *testing.T, label string, c dl4go.Columns) *dl4go.Prepared {
	t.Helper()
	p, err := dl4go.Prepare(t.Context(), "csv:"+penguins+"?label="+label, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// steps returns the pipeline's JSON.
func steps(t *testing.T, p *dl4go.Prepared) []byte {
	t.Helper()
	text, err := p.Preparation.Pipeline.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A model of raw columns keeps its pipeline: it evaluates files, and answers rows of them, as it was trained.
func TestPrepared(t *testing.T) {
	p := preparedPenguins(t, "species", dl4go.Columns{Split: "0.8:stratified"})
	if p.HeldOut == nil || p.HeldOut.Info().Examples < 60 || len(p.Decisions) == 0 {
		t.Fatalf("held out %v, decisions %v", p.HeldOut, p.Decisions)
	}
	made := trained(t, dl4go.Config{Prepared: p, Network: dl4go.MLP(16), Patience: 5, Metric: "accuracy"})
	held, err := made.Evaluate(t.Context(), p.HeldOut)
	if err != nil || held.Accuracy() < 0.95 {
		t.Errorf("accuracy of the held-out rows: %v, %v", held, err)
	}
	path := filepath.Join(t.TempDir(), "m.zip")
	if err := made.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	m, err := dl4go.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	all, err := m.Read(t.Context(), "csv:"+penguins)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := m.Evaluate(t.Context(), all); err != nil || e.Accuracy() < 0.95 {
		t.Errorf("accuracy of the file: %v, %v", e, err)
	}
	same, err := p.Read(t.Context(), "csv:"+penguins)
	if err != nil || same.Info().Examples != all.Info().Examples {
		t.Errorf("the prepared data reads %v, %v", same, err)
	}
	rows, err := m.ReadUnlabelled(t.Context(), "csv:"+penguins)
	if err != nil || rows.Info().Labels != nil {
		t.Fatalf("unlabelled: %v, %v", rows, err)
	}
	values, err := m.PredictAll(t.Context(), rows)
	answers, err2 := m.PredictRows(t.Context(), rawRows(t, "species")...)
	if err = errors.Join(err, err2); err != nil || len(values) != len(answers) {
		t.Fatalf("%d and %d answers, %v", len(values), len(answers), err)
	}
	for i, name := range m.Classes() {
		if values[0][i] != answers[0].Values[name] {
			t.Errorf("%s: %v from the file, %v from the row", name, values[0][i], answers[0].Values[name])
		}
	}
}

// Numbers to predict are standardised for training, and a further training goes through the model's pipeline.
func TestPreparedNumbers(t *testing.T) {
	p := preparedPenguins(t, "body_mass_g&regression=true", dl4go.Columns{Split: "0.8", Sample: 200,
		Proposal: analysis.Options{Missing: analysis.MissingDrop, Drop: []string{"year"}}})
	m := trained(t, dl4go.Config{Prepared: p, Network: dl4go.MLP(8), Epochs: 20})
	e, err := m.EvaluateRegression(t.Context(), p.HeldOut)
	if err != nil || e.RSquared(0) < 0.5 {
		t.Errorf("R² %v, %v", e, err)
	}
	further, err := m.Prepare(t.Context(), "csv:"+penguins, dl4go.Columns{})
	if err != nil {
		t.Fatal(err)
	}
	defer further.Close()
	if further.Preparation == nil || !slices.Equal(steps(t, further), steps(t, p)) {
		t.Errorf("preparation %+v", further.Preparation)
	}
	again := trained(t, dl4go.Config{Prepared: further, Network: dl4go.Trained(m.Network()), Epochs: 1})
	if again.Network().Epoch() != 21 {
		t.Errorf("epoch %d", again.Network().Epoch())
	}
	_, err = m.Prepare(t.Context(), "csv:"+penguins, dl4go.Columns{Pipeline: &pipeline.Pipeline{}})
	if err == nil || !strings.Contains(err.Error(), "has a pipeline already") {
		t.Error(err)
	}
}

// The folds of a cross-validation hold out each row once. Workers of all engines train the same model.
func TestPreparedFolds(t *testing.T) {
	held, rows := 0, 0
	for fold := range 3 {
		p := preparedPenguins(t, "species", dl4go.Columns{Folds: "3", Fold: fold})
		held += p.HeldOut.Info().Examples
		rows = p.HeldOut.Info().Examples + p.Train.Info().Examples
	}
	if held != rows {
		t.Errorf("%d of %d rows are held out", held, rows)
	}
	var nets []*nn.Network
	for _, master := range []string{"local[2]", "processes[2]"} {
		e := opened(t, master)
		p, err := dl4go.PrepareOn(t.Context(), e, "csv:"+penguins+"?label=species", dl4go.Columns{Memory: 4 << 10})
		if err != nil {
			t.Fatal(err)
		}
		m, err := dl4go.On(t.Context(), e, dl4go.Averaging{}, dl4go.Config{Prepared: p, Network: dl4go.MLP(8), Epochs: 1})
		if err = errors.Join(err, p.Close()); err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		nets = append(nets, m.Network())
	}
	same(t, "processes", nets[1], nets[0])
}

// Data without raw columns is only split.
func TestPreparedPictures(t *testing.T) {
	p, err := dl4go.Prepare(t.Context(), "digits:train", dl4go.Columns{Split: "0.9:stratified"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all, err := dl4go.Read(t.Context(), "digits:train")
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Train.Info().Examples + p.HeldOut.Info().Examples; n != all.Info().Examples || p.Preparation != nil {
		t.Errorf("%d examples of %d, preparation %v", n, all.Info().Examples, p.Preparation)
	}
	var net *nn.Network
	_, err = dl4go.Train(t.Context(), dl4go.Config{Prepared: p, Adjust: func(c *train.Config) {
		net, c.Epochs = c.Network.Base(), -1 // only the network is of interest
	}})
	if err == nil || net == nil {
		t.Fatalf("no network, %v", err)
	}
	if text, err := net.Configuration(); err != nil || !strings.Contains(string(text), "Convolution") {
		t.Errorf("not lenet: %s, %v", text, err)
	}
}

// TestReadRaw: a table that needs a pipeline is an error that says what makes one.
func TestReadRaw(t *testing.T) {
	const want = `:2:8: column "island": "Torgersen" is not a finite number; texts and gaps need dl4go.Prepare`
	if _, err := dl4go.Read(t.Context(), "csv:"+penguins+"?label=species"); err == nil ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, wanted %q", err, want)
	}
	_, err := dl4go.Read(t.Context(), "csv:"+penguins+"?label=species,island&regression=true")
	if err == nil || strings.Contains(err.Error(), "Prepare") {
		t.Errorf("labels that are texts: %v", err)
	}
}

func TestPreparedRefused(t *testing.T) {
	for _, try := range []struct {
		spec string
		c    dl4go.Columns
		want string
	}{
		{"csv:" + penguins, dl4go.Columns{Split: "2"}, "Columns.Split: "},
		{"csv:" + penguins, dl4go.Columns{Folds: "1"}, "Columns.Folds: "},
		{"csv:" + penguins, dl4go.Columns{Folds: "3", Fold: 3}, "Columns.Fold: 3: there are folds 0 to 2"},
		{"csv:" + penguins, dl4go.Columns{Folds: "3", Split: "0.8"}, "Columns.Folds: it can't"},
		{"csv:" + penguins, dl4go.Columns{Sample: -1}, "Columns.Sample: "},
		{"csv:" + penguins, dl4go.Columns{Proposal: analysis.Options{Regression: true}}, "?label=COLUMN"},
		{"csv:" + penguins, dl4go.Columns{Proposal: analysis.Options{Missing: "none"}}, "Missing: none: there are"},
		{"csv:" + penguins + "?label=species", dl4go.Columns{Proposal: analysis.Options{Drop: []string{"island", "sex"},
			Embed: analysis.Embed{All: true}}}, "Embed: no column looks like one of categories"},
		{"csv:" + penguins + "?label=island,island", dl4go.Columns{}, `label: the column "island" is there twice`},
		{"digits:train", dl4go.Columns{Split: "0.8:group=x"}, "the split 0.8:group=x: "},
		{"digits:train", dl4go.Columns{Proposal: analysis.Options{Text: "drop"}}, "has no raw columns"},
		{"csv:no-such-file.csv?label=x", dl4go.Columns{}, "no-such-file.csv"},
		{"sql:SELECT 1", dl4go.Columns{}, "sql:"},
	} {
		if p, err := dl4go.Prepare(t.Context(), try.spec, try.c); err == nil || !strings.Contains(err.Error(), try.want) ||
			strings.Contains(err.Error(), "--") { // a flag of the command line
			t.Errorf("%s: %v, %v; want %q", try.spec, p, err, try.want)
		}
	}
	if _, err := dl4go.PrepareOn(t.Context(), engine.Engine(nil), "csv:x", dl4go.Columns{}); err == nil {
		t.Error("no engine")
	}
	training, _ := parts(t)
	p := &dl4go.Prepared{Train: training}
	if _, err := dl4go.Train(t.Context(), dl4go.Config{Prepared: p, Data: training}); err == nil ||
		!strings.Contains(err.Error(), "Config.Prepared: ") {
		t.Error(err)
	}
}

// A task that the data does not tell decides the output of the network.
func TestTasks(t *testing.T) {
	values := []point{{x: []float64{1, 2}, y: []float64{1, 0}}, {x: []float64{3, 4}, y: []float64{1, 1}}}
	s, err := dl4go.Table[point]{Features: row, Target: target}.Data(values)
	if err != nil {
		t.Fatal(err)
	}
	for task, want := range map[nn.Task]string{nn.MultiLabel: "XENT", nn.Regression: "MSE"} {
		for _, make := range []dl4go.Network{dl4go.MLP(4), dl4go.Named("softmax")} {
			net, err := make.For(task)(t.Context(), s.Info(), 0)
			if err != nil {
				t.Fatal(err)
			}
			text, err := net.Base().Configuration()
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s in %s, %v", task, want, text, err)
			}
		}
	}
	if s.Info().Task != source.Task("") {
		t.Error("the data has changed")
	}
}
