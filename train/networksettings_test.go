package train

import (
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// TestNetworkSettings: the settings of layers are those by which runs differ.
func TestNetworkSettings(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"mlp": {"layers": "DenseLayer 500, OutputLayer 10", "updater": "Nesterovs (learningRate 0.1, momentum 0.9)",
			"activation": "ReLU, Softmax", "loss": "NegativeLogLikelihood (softmaxClipEps 1e-10)", "weight init": "Xavier",
			"regularization": "", "dropout": ""},
		"cnn": {"updater": "Adam (beta1 0.9, beta2 0.999, epsilon 1e-08, learningRate 0.001)",
			"dropout": "Dropout (helperAllowFallback true, p 0.5)"},
	} {
		conf, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 1)
		if err != nil {
			t.Fatal(err)
		}
		net, err := nn.New(conf)
		if err != nil {
			t.Fatal(err)
		}
		text, err := net.Base().Configuration()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		describeNetwork(text, got)
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%s: %s is %q, want %q", name, k, got[k], v)
			}
		}
	}
}
