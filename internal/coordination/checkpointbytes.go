package coordination

import (
	"encoding/binary"
	"fmt"
)

// checkpointVersion begins a checkpoint's bytes.
const checkpointVersion = 1

// Append appends the checkpoint's bytes to b, for the driver to keep and ReadCheckpoint to read. They end with a
// CRC32C.
func (k *Checkpoint) Append(b []byte, job JobID) []byte {
	from := len(b)
	w := writer{b: append(b, checkpointVersion)}
	k.fields(&coder{w: &w})
	return binary.LittleEndian.AppendUint32(w.b, checksum(job, w.b[from:]))
}

// ReadCheckpoint reads the bytes that Append wrote for this job. Vectors share b. Errors are of type *FormatError.
func ReadCheckpoint(b []byte, job JobID) (*Checkpoint, error) {
	if len(b) < 5 {
		return nil, &FormatError{len(b), "a checkpoint ends too early"}
	}
	body := b[:len(b)-4]
	if b[0] != checkpointVersion {
		return nil, &FormatError{0, fmt.Sprintf("version %d of a checkpoint, this program reads version %d", b[0],
			checkpointVersion)}
	}
	if binary.LittleEndian.Uint32(b[len(body):]) != checksum(job, body) {
		return nil, &FormatError{len(body), "a checkpoint's checksum does not fit: it is damaged, or of another job"}
	}
	r := reader{b: body, at: 1}
	k := &Checkpoint{}
	k.fields(&coder{r: &r})
	if r.err == nil && r.at != len(body) {
		r.fail("something follows")
	}
	if r.err != nil {
		return nil, r.err
	}
	return k, nil
}

// fields lists a checkpoint's fields in the order of its bytes.
func (k *Checkpoint) fields(c *coder) {
	c.uint("Position", &k.Position)
	c.uint32("Epoch", &k.Epoch)
	c.bool("Open", &k.Open)
	n := c.list("Partitions", &k.Partitions, len(k.Partitions))
	for i := 0; i < n && !c.failed(); i++ {
		if c.r != nil {
			k.Partitions = append(k.Partitions, Progress{})
		}
		k.Partitions[i].fields(c)
	}
	n = c.list("Lives", &k.Lives, len(k.Lives))
	for i := 0; i < n && !c.failed(); i++ {
		if c.r != nil {
			k.Lives = append(k.Lives, Life{})
		}
		k.Lives[i].fields(c)
	}
	c.bytes("Params", &k.Params)
	c.optional("State", &k.State)
	// The first checkpoints had no reports. So nil reports take no bytes.
	if c.r == nil && k.Reports != nil || c.r != nil && c.r.err == nil && c.r.at < len(c.r.b) {
		c.bytes("Reports", &k.Reports)
	}
}

func (p *Progress) fields(c *coder) {
	c.bool("Seen", &p.Seen)
	c.uint32("Minibatches", &p.Minibatches)
	c.uint32("Next", &p.Next)
}

func (l *Life) fields(c *coder) {
	c.uint32("Term", &l.Term)
	c.peer("Peer", &l.Peer)
	c.uint("Seq", &l.Seq)
}
