package distributed_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/tensor"
)

// twoOutputs returns a graph with a class for the whole sequence and one for each step.
func twoOutputs(t testing.TB) *nn.Graph {
	t.Helper()
	softmax := activation.Softmax{}
	net, err := nn.NewGraph(nn.GraphConfiguration{
		Defaults:   nn.Configuration{Updater: updater.NewAdam(), Activation: activation.TanH{}},
		Inputs:     []string{"sequence", "vector"},
		InputTypes: []inputtype.Type{inputtype.Recurrent(3, 6), inputtype.FeedForward(4)},
		Vertices: []nn.GraphVertex{
			{Name: "lstm", Layer: layer.NewLSTM(5), Inputs: []string{"sequence"}},
			{Name: "last", Vertex: vertex.LastTimeStep{MaskOf: "sequence"}, Inputs: []string{"lstm"}},
			{Name: "dense", Layer: layer.Dense{NOut: 6}, Inputs: []string{"last", "vector"}},
			{Name: "class", Layer: layer.Output{NOut: 3, Activation: softmax, Loss: loss.NewMCXENT()},
				Inputs: []string{"dense"}},
			{Name: "steps", Layer: layer.RnnOutput{NOut: 2, Activation: softmax, Loss: loss.NewMCXENT()},
				Inputs: []string{"lstm"}},
		},
		Outputs: []string{"class", "steps"},
	})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(5)
	return net
}

// twoOutputData returns sequences, some of which are short.
func twoOutputData(n int) []*data.MultiDataSet {
	r := rand.New(rand.NewPCG(3, 9))
	var all []*data.MultiDataSet
	for k := range n {
		x, v, mask := tensor.New(1, 3, 6), tensor.New(1, 4), tensor.New(1, 6)
		class, steps := tensor.New(1, 3), tensor.New(1, 2, 6)
		for i := range x.Data {
			x.Data[i] = float32(r.NormFloat64())
		}
		for i := range v.Data {
			v.Data[i] = float32(r.NormFloat64())
		}
		class.Data[r.IntN(3)] = 1
		for t := range 6 {
			if k%3 != 0 || t < 4 {
				mask.Data[t] = 1
			}
			steps.Data[6*r.IntN(2)+t] = 1
		}
		all = append(all, &data.MultiDataSet{Features: []*tensor.Dense{x, v}, Labels: []*tensor.Dense{class, steps},
			FeatureMasks: []*tensor.Dense{mask, nil}, LabelMasks: []*tensor.Dense{nil, mask}})
	}
	return all
}

// outputEvaluations returns all kinds of evaluations, and their outputs.
func outputEvaluations() (evals []eval.Evaluator, outputs []int) {
	names := eval.NewEvaluation(3)
	names.Labels = []string{"none", "some", "all"}
	top := eval.NewEvaluation(0)
	top.TopN = 2
	binary := eval.NewEvaluationBinary()
	binary.ROC = eval.NewROCBinary(0)
	for _, k := range []int{0, 1} {
		evals = append(evals, top, binary, eval.NewROCBinary(0), eval.NewROCMultiClass(0), eval.NewROCMultiClass(30),
			eval.NewRegressionEvaluation(), eval.NewEvaluationCalibration())
		outputs = append(outputs, k, k, k, k, k, k, k)
	}
	return append(evals, names, eval.NewROC(0)), append(outputs, 0, 1)
}

// evaluateOutputs compares an engine's results with those of the graph alone.
func evaluateOutputs(t *testing.T, e engine.Engine, partitions int, o distributed.EvaluationOptions) {
	t.Helper()
	net, sets := twoOutputs(t), twoOutputData(50)
	evals, outputs := outputEvaluations()
	var want []eval.Evaluator
	for i, of := range evals {
		of = of.New()
		for _, m := range sets {
			y, err := net.Output(m, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := of.Eval(m.Labels[outputs[i]], y[outputs[i]], m.LabelMask(outputs[i])); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, of)
	}
	d, err := distributed.FromDataSets(e, sets, partitions)
	if err != nil {
		t.Fatal(err)
	}
	o.Outputs = outputs
	got, err := distributed.New(e, net, nil, distributed.Options{}).DoEvaluation(context.Background(), d, o, evals...)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range got {
		what := fmt.Sprintf("%s, %d partitions, %+v: %d, %T of output %d", e.Master(), partitions, o, i, g, outputs[i])
		if g.Stats() != want[i].Stats() {
			t.Errorf("%s:\n%s\nwant\n%s", what, g.Stats(), want[i].Stats())
		}
		sameFigures(t, what, eval.Metrics(g), eval.Metrics(want[i]))
	}
}

// TestEvaluationOfOutputs tests all evaluations of both outputs, in one pass, with time series and masks, on any number
// of partitions, workers and examples per batch.
func TestEvaluationOfOutputs(t *testing.T) {
	threads := onEngine(t, "local[4]")
	for p := 1; p <= 7; p++ {
		evaluateOutputs(t, threads, p, distributed.EvaluationOptions{Workers: 1 + p%4, Batch: []int{0, 1, 7, 100}[p%4]})
	}
	evaluateOutputs(t, onEngine(t, "processes[2]"), 3, distributed.EvaluationOptions{Workers: 2})
}

// TestBadEvaluations checks that bad evaluations are refused with the reason, by the driver if it can know.
func TestBadEvaluations(t *testing.T) {
	ctx := context.Background()
	net, sets := twoOutputs(t), twoOutputData(3)
	one := eval.NewEvaluation(0)
	misnamed := eval.NewEvaluation(0)
	misnamed.Labels = []string{"a", "b"}
	fewer := *sets[0]
	fewer.Labels, fewer.LabelMasks = fewer.Labels[:1], nil
	none := fewer
	none.Labels = nil
	wide := *sets[0]
	wide.Labels = []*tensor.Dense{tensor.New(1, 4), sets[0].Labels[1]}
	for _, c := range []struct {
		what  string
		data  *data.MultiDataSet
		o     distributed.EvaluationOptions
		evals []eval.Evaluator
		want  string
		job   bool // the workers find the mistake
	}{
		{"no evaluation", sets[0], distributed.EvaluationOptions{}, nil, "no evaluation to do", false},
		{"which output", sets[0], distributed.EvaluationOptions{}, []eval.Evaluator{one},
			"has 2 outputs: EvaluationOptions.Outputs must say", false},
		{"too few outputs", sets[0], distributed.EvaluationOptions{Outputs: []int{1}}, []eval.Evaluator{one, one},
			"1 entries for 2 evaluations", false},
		{"no such output", sets[0], distributed.EvaluationOptions{Outputs: []int{2}}, []eval.Evaluator{one},
			"evaluation 0 is for output 2", false},
		{"workers", sets[0], distributed.EvaluationOptions{Outputs: []int{0}, Workers: -1}, []eval.Evaluator{one},
			"-1 evaluation workers", false},
		{"batch", sets[0], distributed.EvaluationOptions{Outputs: []int{0}, Batch: -1}, []eval.Evaluator{one},
			"a batch of -1 examples", false},
		{"names", sets[0], distributed.EvaluationOptions{Outputs: []int{0}}, []eval.Evaluator{misnamed},
			"2 classes are named, output 0 of the network has 3", false},
		{"labels of one output", &fewer, distributed.EvaluationOptions{Outputs: []int{0}}, []eval.Evaluator{one},
			"the network has 2 outputs, the examples have 1 arrays of labels", false},
		{"no labels", &none, distributed.EvaluationOptions{Outputs: []int{0}}, []eval.Evaluator{one}, "there are no labels",
			false},
		{"wide labels", &wide, distributed.EvaluationOptions{Outputs: []int{0}}, []eval.Evaluator{one},
			"wants labels of shape", true},
	} {
		for _, master := range []string{"local[2]", "processes[1]"} {
			e := onEngine(t, master)
			d, err := distributed.FromDataSets(e, []*data.MultiDataSet{c.data}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []*distributed.Data{d, distributed.FromRows(d.Rows().Map(sameRows.With(struct{}{})))} {
				_, err = distributed.New(e, net, nil, distributed.Options{}).DoEvaluation(ctx, d, c.o, c.evals...)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %s: %v, wanted %q", master, c.what, err, c.want)
				}
			}
			if !c.job && master != "local[2]" {
				break
			}
		}
	}
	m := distributed.New(onEngine(t, "local[1]"), net, nil, distributed.Options{})
	if n := m.DefaultEvaluationWorkers(); n != distributed.DefaultEvaluationWorkers {
		t.Errorf("%d evaluation workers by default", n)
	}
	if err := m.SetDefaultEvaluationWorkers(0); err == nil {
		t.Error("0 evaluation workers are fine")
	}
	if err := m.SetDefaultEvaluationWorkers(2); err != nil || m.DefaultEvaluationWorkers() != 2 {
		t.Error(err, m.DefaultEvaluationWorkers())
	}
	wrong := *sets[0]
	wrong.LabelMasks = []*tensor.Dense{nil, tensor.New(1, 5)}
	if _, err := distributed.FromDataSets(m.Engine(), []*data.MultiDataSet{sets[1], &wrong}, 1); err == nil ||
		!strings.Contains(err.Error(), "data set 1: ") {
		t.Errorf("a mask of the wrong shape: %v", err)
	}
}

// sameRows hides from the driver where the rows come from.
var sameRows = engine.Register("distributed_test.same", func(_ *engine.Task, _ struct{}, in engine.Rows,
	out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err == nil {
			err = out.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
})
