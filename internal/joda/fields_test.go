package joda

import (
	"math/rand/v2"
	"testing"
)

// TestFieldsOf compares all fields of random instants with those computed one by one.
func TestFieldsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	zone, err := Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	instants, values := make([]int64, 5000), make([][]int64, len(fields))
	for i := range instants {
		instants[i] = r.Int64N(4000*year) - 2000*year
	}
	for k := range values {
		values[k] = make([]int64, len(instants))
	}
	FieldsOf(fields, instants, zone, values)
	for k, f := range fields {
		for i, instant := range instants {
			if want := f.Of(instant, zone); values[k][i] != want {
				t.Fatalf("%s of %d is %d, want %d", f.name, instant, values[k][i], want)
			}
		}
	}
}
