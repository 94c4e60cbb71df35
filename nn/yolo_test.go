package nn

import (
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// boxLabels has objects in two cells of a grid of 3x2, for two images and three classes.
func boxLabels() *tensor.Dense {
	y := tensor.New(2, 7, 3, 2)
	put := func(n, row, col, class int, corners ...float32) {
		at := func(c int) *float32 { return &y.Data[((n*7+c)*3+row)*2+col] }
		for i, x := range corners {
			*at(i) = x
		}
		*at(4 + class) = 1
	}
	put(0, 1, 0, 2, 0.1, 0.6, 1.3, 2.1)
	put(0, 2, 1, 0, 0.9, 1.9, 1.8, 2.9)
	put(1, 0, 1, 1, 0.7, 0.05, 1.9, 0.9)
	put(1, 2, 0, 1, 0.2, 2.1, 0.6, 2.8)
	return y
}

func yoloNet(t *testing.T, in inputtype.Type, change func(*layer.Yolo2Output)) *MultiLayer {
	l := layer.NewYolo2Output([2]float64{1, 1.2}, [2]float64{2, 1.5}, [2]float64{0.5, 0.7})
	if change != nil {
		change(&l)
	}
	return newNet(t, Configuration{InputType: in, Updater: updater.Sgd{LearningRate: 0.02}, Layers: []layer.Layer{
		layer.Convolution2D{NOut: 3 * (5 + 3), Kernel: [2]int{2, 2}, Activation: activation.Identity{}}, l}})
}

func TestGradientsOfYolo2(t *testing.T) {
	f, y := normals(4, 2, 2, 4, 3), boxLabels()
	for name, change := range map[string]func(*layer.Yolo2Output){
		"defaults": nil,
		"lambdas":  func(l *layer.Yolo2Output) { l.LambdaCoord, l.LambdaNoObj = 3, 0.7 },
		"losses":   func(l *layer.Yolo2Output) { l.PositionLoss, l.ClassLoss = loss.MSE{}, loss.NewMCXENT() },
	} {
		m := &data.MultiDataSet{Features: []*tensor.Dense{f}, Labels: []*tensor.Dense{y}}
		net := yoloNet(t, inputtype.Convolutional(4, 3, 2), change)
		if err := gradientDiffers(t, net, m, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		last := yoloNet(t, inputtype.Convolutional(4, 3, 2).Last(), change)
		if err := last.SetParams(net.Params()); err != nil {
			t.Fatal(err)
		}
		nhwc := &data.MultiDataSet{Features: []*tensor.Dense{channelsToLast(f)}, Labels: []*tensor.Dense{channelsToLast(y)}}
		if err := gradientDiffers(t, last, nhwc, nil); err != nil {
			t.Errorf("%s, NHWC: %v", name, err)
		}
		a, err := net.Score(m, false)
		if err != nil {
			t.Fatal(err)
		}
		b, err := last.Score(nhwc, false)
		if err != nil || !near.Equal(a, b, 1e-5*a, 0) {
			t.Errorf("%s: the score is %v, in NHWC %v (%v)", name, a, b, err)
		}
	}
}

func channelsToLast(x *tensor.Dense) *tensor.Dense {
	n, c, area := x.Shape[0], x.Shape[1], x.Shape[2]*x.Shape[3]
	y := tensor.New(n, x.Shape[2], x.Shape[3], c)
	for i := range y.Data {
		y.Data[i] = x.Data[(i/(c*area)*c+i%c)*area+i/c%area]
	}
	return y
}

// TestYolo2Learns: training on few examples removes most of the loss.
func TestYolo2Learns(t *testing.T) {
	net := yoloNet(t, inputtype.Convolutional(4, 3, 2), nil)
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(4, 2, 2, 4, 3)}, Labels: []*tensor.Dense{boxLabels()}}
	before, _ := net.Score(m, false)
	for range 300 {
		if _, err := net.Fit(m, Key{}); err != nil {
			t.Fatal(err)
		}
	}
	after, err := net.Score(m, false)
	if err != nil || !(after < before/5) {
		t.Errorf("the score went from %v to %v (%v)", before, after, err)
	}
}

func TestYolo2Refuses(t *testing.T) {
	in := inputtype.Convolutional(3, 2, 16)
	good := layer.NewYolo2Output([2]float64{1, 1.2}, [2]float64{2, 1.5})
	for want, change := range map[string]func(*layer.Yolo2Output){
		"lambdaCoord":    func(l *layer.Yolo2Output) { l.LambdaCoord = -1 },
		"lambdaNoObj":    func(l *layer.Yolo2Output) { l.LambdaNoObj = math.Inf(1) },
		"boundingBoxes":  func(l *layer.Yolo2Output) { l.Boxes.Data = l.Boxes.Data[:3] },
		"must be positi": func(l *layer.Yolo2Output) { l.Boxes.Data = []float64{1, 1, 0, 2} },
		"channels": func(l *layer.Yolo2Output) {
			*l = layer.NewYolo2Output([2]float64{1, 2}, [2]float64{1, 2}, [2]float64{1, 2})
		},
		"class numbers": func(l *layer.Yolo2Output) { l.ClassLoss = loss.SparseMCXENT{} },
	} {
		l := good
		change(&l)
		if _, err := New(Configuration{InputType: in, Layers: []layer.Layer{l}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
	net := yoloNet(t, inputtype.Convolutional(4, 3, 2), nil)
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(4, 2, 2, 4, 3)}, Labels: []*tensor.Dense{boxLabels()},
		LabelMasks: []*tensor.Dense{arrayOf([]float32{1, 0}, 2, 1)}}
	if _, err := net.Score(m, false); err == nil || !strings.Contains(err.Error(), "label mask") {
		t.Errorf("with a label mask the error is %v", err)
	}
}
