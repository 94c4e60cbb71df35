package parallel

import "sync/atomic"

// share is the range of parts that one worker computes first. Its memory then stays in the caches of one core from
// computation to computation. Workers that have computed their own share take parts from the end of others'.
type share struct {
	left atomic.Uint64 // the first part that is left and, above it in 32 bits, the end of the range
}

func (s *share) set(first, end int) { s.left.Store(uint64(end)<<32 | uint64(first)) }

// first takes the first part that is left.
func (s *share) first() (part int, ok bool) {
	for {
		left := s.left.Load()
		first, end := left&(1<<32-1), left>>32
		if first >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left+1) {
			return int(first), true
		}
	}
}

// last takes the last part that is left.
func (s *share) last() (part int, ok bool) {
	for {
		left := s.left.Load()
		first, end := left&(1<<32-1), left>>32
		if first >= end {
			return 0, false
		}
		if s.left.CompareAndSwap(left, left-1<<32) {
			return int(end) - 1, true
		}
	}
}
