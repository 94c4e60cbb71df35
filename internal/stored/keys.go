package stored

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
)

// keyBytes is the length of a key, keyMemory the bytes of keys that may stay in memory, and fewKeys the number of keys
// that are sorted in memory.
const (
	keyBytes  = 16
	keyMemory = 16 << 20
	fewKeys   = 1 << 16
)

// Key is a value that is ordered by its bytes.
type Key [keyBytes]byte

// Compare is negative if k comes before o.
func (k Key) Compare(o Key) int { return bytes.Compare(k[:], o[:]) }

// digit returns two bytes of a key, or the last one.
func (k Key) digit(at int) int {
	if at+1 < keyBytes {
		return int(binary.BigEndian.Uint16(k[at:]))
	}
	return int(k[at])
}

// Keys is a list of keys. The first ones are in memory, and if they are many, all are in a file.
type Keys struct {
	memory int // bytes of keys that may stay in memory
	few    int // the number of keys that are sorted in memory
	dir    string
	n      int
	out    []byte // the keys that are not in the file
	file   *os.File
	end    int64 // of the file
	least  Key
	most   Key
}

// NewKeys returns an empty list. Its file lies in the directory of temporary files.
func NewKeys() *Keys { return &Keys{memory: keyMemory, few: fewKeys, dir: os.TempDir()} }

// Len returns the number of keys.
func (k *Keys) Len() int { return k.n }

// Add appends a key.
func (k *Keys) Add(key Key) error {
	if k.n == 0 || key.Compare(k.least) < 0 {
		k.least = key
	}
	if k.n == 0 || key.Compare(k.most) > 0 {
		k.most = key
	}
	k.n++
	if k.out = append(k.out, key[:]...); len(k.out) < k.memory {
		return nil
	}
	if k.file == nil {
		var err error
		if k.file, err = diskFile(k.dir); err != nil {
			return noRoom(k.dir, "the values of a split", k.end, err)
		}
		k.memory = chunkBytes // from now on it is the size of a write
	}
	_, err := k.file.WriteAt(k.out, k.end)
	k.end += int64(len(k.out))
	if cap(k.out) > chunkBytes {
		k.out = make([]byte, 0, chunkBytes)
	}
	k.out = k.out[:0]
	return noRoom(k.dir, "the values of a split", k.end, err)
}

// Each yields the index of each key with the key, in their order.
func (k *Keys) Each(yield func(i int, key Key) error) error {
	i := 0
	some := func(b []byte) error {
		for ; len(b) > 0; b = b[keyBytes:] {
			if err := yield(i, Key(b[:keyBytes])); err != nil {
				return err
			}
			i++
		}
		return nil
	}
	buffer := make([]byte, min(chunkBytes, k.end))
	for at := int64(0); at < k.end; {
		b := buffer[:min(chunkBytes, k.end-at)]
		if _, err := k.file.ReadAt(b, at); err != nil {
			return fmt.Errorf("%s: the values of a split: %w", k.dir, err)
		}
		if err := some(b); err != nil {
			return err
		}
		at += int64(len(b))
	}
	return some(k.out)
}

// Nth returns the key at place n, from 0, of the sorted keys for which in is true. It reads the list a few times, two
// bytes of the key at a time, until few enough keys begin with the same bytes.
func (k *Keys) Nth(n int, in func(i int) bool) (Key, error) {
	key, known := k.least, 0 // the first bytes of the key are known
	for known < keyBytes && k.least[known] == k.most[known] {
		known++
	}
	each := func(yield func(Key)) error {
		return k.Each(func(i int, of Key) error {
			if in(i) && bytes.Equal(of[:known], key[:known]) {
				yield(of)
			}
			return nil
		})
	}
	for left := k.n; known < keyBytes; {
		if left <= k.few {
			var few []Key
			if err := each(func(of Key) { few = append(few, of) }); err != nil {
				return key, err
			}
			slices.SortFunc(few, Key.Compare)
			return few[n], nil
		}
		counts := make([]int, 1<<16)
		if err := each(func(of Key) { counts[of.digit(known)]++ }); err != nil {
			return key, err
		}
		digit := 0
		for ; n >= counts[digit]; digit++ {
			n -= counts[digit]
		}
		left = counts[digit]
		if known+1 < keyBytes {
			binary.BigEndian.PutUint16(key[known:], uint16(digit))
		} else {
			key[known] = byte(digit)
		}
		known = min(known+2, keyBytes)
	}
	return key, nil
}

// Close removes the file.
func (k *Keys) Close() {
	if k.file != nil {
		k.file.Close()
		remove(k.file)
	}
}
