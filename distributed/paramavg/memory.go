package paramavg

import "sync"

// memory is what a resident worker computes in sliced rounds. Each round takes the memory of earlier ones: a result has
// the size of the parameters and the updater state, and fresh memory is cleared, paged in and collected. A step and the
// exchange of slices may use it at the same time.
type memory struct {
	mu            sync.Mutex
	results, sums [][]float32 // of this round
	before        [][]float32 // the sums of the last round
	free, freeSum [][]float32
}

// begin begins a round; see coordination.Slicer.
func (m *memory) begin(over bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !over {
		m.results, m.sums, m.before, m.free, m.freeSum = nil, nil, nil, nil, nil
		return
	}
	m.free, m.freeSum = append(m.free, m.results...), append(m.freeSum, m.before...)
	m.results, m.sums, m.before = nil, nil, m.sums
}

// result returns memory for the vectors of a result, as the function vectors does. Its elements are arbitrary.
func (m *memory) result(n int, events bool) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return taken(&m.free, n, func() []float32 { return vectors(n, events) })
}

// trained notes that the vectors are a result of this round.
func (m *memory) trained(vectors []float32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.results = append(m.results, vectors)
}

// sum returns memory for a sum of slices. Its elements are arbitrary.
func (m *memory) sum(n int) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := taken(&m.freeSum, n, func() []float32 { return make([]float32, n) })
	m.sums = append(m.sums, s)
	return s
}

// taken takes memory of n elements out of a list, or makes it.
func taken(free *[][]float32, n int, make func() []float32) []float32 {
	if last := len(*free) - 1; last >= 0 {
		x := (*free)[last]
		if *free = (*free)[:last]; len(x) == n {
			return x
		}
	}
	return make()
}
