package loss

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/activation"
)

func TestValidateOutputLayer(t *testing.T) {
	softmax, sigmoid, identity := activation.Softmax{}, activation.Sigmoid{}, activation.Identity{}
	for _, c := range []struct {
		l             Loss
		act           activation.Activation
		n             int
		ownParameters bool
		want          string
	}{
		{NewMCXENT(), softmax, 3, true, ""},
		{MSE{}, softmax, 1, true, "softmax over 1 output"},
		{NewMCXENT(), softmax, 1, false, ""},
		{NewXENT(), sigmoid, 1, true, ""},
		{NewXENT(), softmax, 2, true, "softmax with XENT"},
		{NewNegativeLogLikelihood(), sigmoid, 2, true, "sigmoid with loss.NegativeLogLikelihood"},
		{NewSparseMCXENT(), activation.TanH{}, 2, true, "activation.TanH gives numbers outside [0, 1]"},
		{NewXENT(), identity, 2, true, "activation.Identity gives"},
		{NewXENT(), identity, 2, false, ""},
		{MSE{}, activation.ReLU{}, 2, true, ""},
	} {
		err := ValidateOutputLayer(c.l, c.act, c.n, c.ownParameters)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%T with %T, %d outputs: %v, want %q", c.l, c.act, c.n, err, c.want)
		}
	}
}
