package keras

import (
	"testing"
)

// TestMatrices: training goes on with Keras' Adafactor and Muon. testdata/matrices.py made the models.
func TestMatrices(t *testing.T) { compareAll(t, casesIn(t, "testdata/matrices.zip")) }
