package stored

import "sync"

// aheadBytes is the size of a block. Rows follow each other if at most gapBytes are between them.
const (
	aheadBytes = 256 << 10
	gapBytes   = 16 << 10
)

// ahead reads rows in blocks while they are wanted one after the other.
type ahead struct {
	mu    sync.Mutex
	block []byte
	at    int64 // of the block
	next  int64 // the end of the last row
}

// row returns the bytes from … to-1 of a file on disk, whose rows end at end. They are not changed afterwards.
func (a *ahead) row(r *Rows, from, to, end int64) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	inOrder := from >= a.next && from <= a.next+gapBytes
	a.next = to
	if from >= a.at && to <= a.at+int64(len(a.block)) {
		return a.block[from-a.at : to-a.at : to-a.at], nil
	}
	if !inOrder || to-from > aheadBytes/2 {
		b := make([]byte, to-from)
		return b, r.read(b, from)
	}
	block := make([]byte, min(aheadBytes, end-from))
	if err := r.read(block, from); err != nil {
		return nil, err
	}
	a.block, a.at = block, from
	return block[: to-from : to-from], nil
}
