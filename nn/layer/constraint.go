package layer

import "github.com/dl4go/dl4go/dl4j"

// constraint holds parameters to a set after each step (Deeplearning4j: org.deeplearning4j.nn.conf.constraint). There
// are none: a file that names one is refused with its class.
type constraint interface{ constraint() }

// weightNoise changes the parameters that a layer sees in training (Deeplearning4j:
// org.deeplearning4j.nn.conf.weightnoise). There are none, as of constraints.
type weightNoise interface{ weightNoise() }

var (
	_ = dl4j.NewClasses[constraint]("constraint")
	_ = dl4j.NewClasses[weightNoise]("weight noise")
)
