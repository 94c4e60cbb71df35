package weights

import "github.com/dl4go/dl4go/internal/random"

// Source draws the random numbers of an initialisation. A seed gives the same numbers on every machine and in every
// version. Only one goroutine may use a Source at a time. The zero value is the source of seed 0.
type Source struct{ numbers random.Source }

// NewSource returns the source of a seed.
func NewSource(seed uint64) *Source { return &Source{*random.NewSource(seed)} }

// Uint64 is uniform over all 64-bit values.
func (s *Source) Uint64() uint64 { return s.numbers.Uint64() }

// Float64 is uniform on [0, 1) in steps of 2⁻⁵³.
func (s *Source) Float64() float64 { return s.numbers.Float64() }

// Intn is uniform on [0, n), without bias. It panics for n < 1.
func (s *Source) Intn(n int) int { return s.numbers.Intn(n) }

// Normal is normally distributed with mean 0 and standard deviation 1.
func (s *Source) Normal() float64 { return s.numbers.Normal() }
