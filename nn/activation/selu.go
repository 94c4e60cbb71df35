package activation

import "github.com/dl4go/dl4go/program"

const (
	seluAlpha = 1.6732632423543772848170429916717
	seluScale = 1.0507009873554804934193349852946
)

// SELU is λ·z where z > 0 and λ·α·(e^z − 1) elsewhere, with λ ≈ 1.0507 and α ≈ 1.6733 (Klambauer, Unterthiner, Mayr
// and Hochreiter, "Self-normalizing neural networks", 2017). (Deeplearning4j: ActivationSELU.)
type SELU struct{}

// Apply is the formula.
func (SELU) Apply(b *program.Builder, z *program.Value, env Env) *program.Value {
	return b.Mul(b.Scalar(seluScale), ELU{Alpha: seluAlpha}.Apply(b, z, env))
}

func init() { register("SELU", "SELU", SELU{}) }
