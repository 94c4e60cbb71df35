package threshold

// Fixed uses the threshold T in all steps. (Deeplearning4j: FixedThresholdAlgorithm.)
type Fixed struct {
	T float64 `dl4j:"threshold"`
}

// Start returns an empty state: see [NewState].
func (a Fixed) Start() State { return NewState() }

// From returns a: it has no state.
func (a Fixed) From(State) Algorithm { return a }

// Threshold returns T.
func (a Fixed) Threshold(*State, *Step) float64 { return a.T }

// Validate checks that T is above 0.
func (a Fixed) Validate() error { return check("FixedThresholdAlgorithm", positive("threshold", a.T)) }

func init() {
	Algorithms.Register(javaAlgorithms+"FixedThresholdAlgorithm", func() Algorithm { return Fixed{T: initialThreshold} })
}
