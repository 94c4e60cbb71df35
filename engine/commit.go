package engine

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Commit describes the output of a complete attempt. Output without a commit does not count, and the reader verifies
// the rows against it. Two attempts at a partition with the same rows differ in Attempt only.
type Commit struct {
	Partition int
	Attempt   int
	Rows      int64
	Bytes     int64  // of the rows' contents
	CRC32C    uint32 // over each row's index, length (both int64, little-endian) and bytes
}

// Same reports whether both commits describe the same rows of the same partition, perhaps by different attempts.
func (c Commit) Same(d Commit) bool {
	d.Attempt = c.Attempt
	return c == d
}

func (c Commit) String() string {
	return fmt.Sprintf("partition %d: %d rows, %d bytes, CRC32C %08x", c.Partition, c.Rows, c.Bytes, c.CRC32C)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C continues the checksum crc with the bytes b. Commits, spilled rows and messages of workers use it.
func CRC32C(crc uint32, b []byte) uint32 { return crc32.Update(crc, castagnoli, b) }

// Add accounts for the next row of the output.
func (c *Commit) Add(row Row) {
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:8], uint64(row.Index))
	binary.LittleEndian.PutUint64(head[8:], uint64(len(row.Bytes)))
	c.CRC32C = CRC32C(CRC32C(c.CRC32C, head[:]), row.Bytes)
	c.Rows++
	c.Bytes += int64(len(row.Bytes))
}
