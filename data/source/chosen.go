package source

import (
	"iter"
	"math/bits"
	"sort"
)

// chosen holds the numbers of some of a file's rows. If they ascend and are not few, it takes about a bit for each row
// of the file, otherwise four bytes for each of the numbers.
type chosen struct {
	n      int
	list   []uint32
	words  []uint64
	before []uint32 // of each blockWords words, how many numbers are before them
}

// blockWords is the number of words between two counts.
const blockWords = 8

// chosenOf returns n numbers below rows.
func chosenOf(rows, n int, numbers iter.Seq[int]) *chosen {
	s := &chosen{}
	if n < rows/32 {
		s.list = make([]uint32, 0, n)
	} else {
		s.words = make([]uint64, (rows+63)/64)
	}
	last := -1
	for i := range numbers {
		if s.words != nil && i <= last {
			s.list = make([]uint32, 0, n)
			for number := range s.marked {
				s.list = append(s.list, uint32(number))
			}
			s.words = nil
		}
		if s.words != nil {
			s.words[i/64] |= 1 << (i % 64)
		} else {
			s.list = append(s.list, uint32(i))
		}
		last = i
		s.n++
	}
	count := 0
	for k, w := range s.words {
		if k%blockWords == 0 {
			s.before = append(s.before, uint32(count))
		}
		count += bits.OnesCount64(w)
	}
	return s
}

// marked yields the numbers in words.
func (s *chosen) marked(yield func(number int) bool) {
	for k, w := range s.words {
		for ; w != 0; w &= w - 1 {
			if !yield(64*k + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// at returns the i-th number, from 0.
func (s *chosen) at(i int) int {
	if s.words == nil {
		return int(s.list[i])
	}
	block := sort.Search(len(s.before), func(b int) bool { return int(s.before[b]) > i }) - 1
	i -= int(s.before[block])
	for k := block * blockWords; ; k++ {
		w := s.words[k]
		if n := bits.OnesCount64(w); i >= n {
			i -= n
			continue
		}
		for ; i > 0; i-- {
			w &= w - 1
		}
		return 64*k + bits.TrailingZeros64(w)
	}
}
