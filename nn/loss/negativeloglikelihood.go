package loss

// NegativeLogLikelihood is MCXENT under another name. (Deeplearning4j: LossNegativeLogLikelihood.)
type NegativeLogLikelihood struct{ MCXENT }

// NewNegativeLogLikelihood returns a loss with the defaults of [NewMCXENT].
func NewNegativeLogLikelihood() NegativeLogLikelihood { return NegativeLogLikelihood{NewMCXENT()} }

func init() { register("NegativeLogLikelihood", NewNegativeLogLikelihood(), "NEGATIVELOGLIKELIHOOD") }
