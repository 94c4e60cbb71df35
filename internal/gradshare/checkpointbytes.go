package gradshare

import (
	"encoding/binary"
	"fmt"
)

// checkpointVersion begins a checkpoint's bytes.
const checkpointVersion = 1

// Append appends the checkpoint in bytes to b: to be kept wherever the driver keeps such things, and read by
// ReadCheckpoint. A CRC32C ends them.
func (k *Checkpoint) Append(b []byte, job JobID) []byte {
	from := len(b)
	w := writer{b: append(b, checkpointVersion)}
	w.uint(k.Position)
	w.uint32(k.Epoch)
	w.bool(k.Open)
	w.uint(uint64(len(k.Partitions)))
	for _, p := range k.Partitions {
		w.bool(p.Seen)
		w.uint32(p.Minibatches)
		w.uint32(p.Next)
	}
	w.uint(uint64(len(k.Lives)))
	for _, l := range k.Lives {
		w.uint32(l.Term)
		w.peer(l.Peer)
		w.uint(l.Seq)
	}
	w.bytes(k.Params)
	w.optional(k.State)
	if k.Reports != nil {
		w.bytes(k.Reports)
	}
	return binary.LittleEndian.AppendUint32(w.b, checksum(job, w.b[from:]))
}

// ReadCheckpoint reads what Append wrote for this job. Vectors share b. Errors are of type *FormatError.
func ReadCheckpoint(b []byte, job JobID) (*Checkpoint, error) {
	if len(b) < 5 {
		return nil, &FormatError{len(b), "a checkpoint ends too early"}
	}
	body := b[:len(b)-4]
	if b[0] != checkpointVersion {
		return nil, &FormatError{0, fmt.Sprintf("version %d of a checkpoint, this program reads version %d", b[0], checkpointVersion)}
	}
	if binary.LittleEndian.Uint32(b[len(body):]) != checksum(job, body) {
		return nil, &FormatError{len(body), "a checkpoint's checksum does not fit: it is damaged, or of another job"}
	}
	r := reader{b: body, at: 1}
	k := &Checkpoint{Position: r.uint(), Epoch: r.uint32(), Open: r.bool()}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		k.Partitions = append(k.Partitions, Progress{r.bool(), r.uint32(), r.uint32()})
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		k.Lives = append(k.Lives, Life{r.uint32(), r.peer(), r.uint()})
	}
	k.Params, k.State = r.bytes(), r.optional()
	if r.err == nil && r.at < len(body) {
		k.Reports = r.bytes()
	}
	if r.err == nil && r.at != len(body) {
		r.fail("something follows")
	}
	if r.err != nil {
		return nil, r.err
	}
	return k, nil
}
