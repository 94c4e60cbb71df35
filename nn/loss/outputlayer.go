package loss

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
)

// ValidateOutputLayer returns an error if an output layer of n units with this activation and loss makes no sense:
// softmax over one unit, cross-entropy of values that are not probabilities, softmax with XENT, sigmoid with MCXENT. It
// is Deeplearning4j's validateOutputLayerConfig, which a configuration can switch off. ownParameters is false for
// layers such as LossLayer: their input may be probabilities already, so Identity is allowed.
func ValidateOutputLayer(l Loss, act activation.Activation, n int, ownParameters bool) error {
	_, softmax := act.(activation.Softmax)
	_, sigmoid := act.(activation.Sigmoid)
	_, identity := act.(activation.Identity)
	_, binary := l.(XENT)
	multiclass := isMulticlass(l)
	switch {
	case softmax && n == 1 && ownParameters:
		return fmt.Errorf("softmax over 1 output is always 1: use sigmoid, or one output for each class")
	case (binary || multiclass) && leavesUnitInterval(act) && !(identity && !ownParameters):
		return fmt.Errorf("%T gives numbers outside [0, 1], and %T takes probabilities: use softmax or sigmoid", act, l)
	case softmax && binary:
		return fmt.Errorf("softmax with XENT: use MCXENT for classes that exclude each other, else sigmoid")
	case sigmoid && multiclass:
		return fmt.Errorf("sigmoid with %T: use XENT for classes that don't exclude each other, else softmax", l)
	}
	return nil
}

func isMulticlass(l Loss) bool {
	switch l.(type) {
	case MCXENT, NegativeLogLikelihood, SparseMCXENT:
		return true
	}
	return false
}

// leavesUnitInterval is Deeplearning4j's list of activations whose values can leave [0, 1].
func leavesUnitInterval(act activation.Activation) bool {
	switch act.(type) {
	case activation.Cube, activation.ELU, activation.HardTanH, activation.Identity, activation.LReLU,
		activation.RationalTanh, activation.ReLU, activation.ReLU6, activation.RReLU, activation.SELU, activation.SoftPlus,
		activation.SoftSign,
		activation.Swish, activation.TanH, activation.ThresholdedReLU:
		return true
	}
	return false
}
