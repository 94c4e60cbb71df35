package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// bestFile is beside the checkpoints of a run with early stopping. Its checksums distinguish the run's best network in
// Save from another run's. It has the checksum of the saved network and, before that is replaced, of the next one. A
// kill in between leaves a network with one of the two.
const bestFile = "checkpoint-best.json"

type bestJournal struct {
	Version  int      `json:"version"`
	Networks []uint32 `json:"networks"` // checksums, the last network's at the end
}

// bests is the record of a run's best networks.
type bests struct {
	dir  string // of the checkpoints; empty if there are none
	from string // the directory of the checkpoint that the run continues from; empty for a new run
	save string // the model file
	warn func(message string)
	sums []uint32 // of the best network in the file, and of the one that replaces it
}

// checksumOf returns the CRC32C of a network's parameters and counts.
func checksumOf(net *nn.Network) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Checksum(tensor.Bytes(net.Params()), table)
	return crc32.Update(sum, table, fmt.Appendf(nil, "%d %d", net.Iteration(), net.Epoch()))
}

// replace records that a network is about to replace the best one.
func (b *bests) replace(ctx context.Context, net *nn.Network) error {
	if b.dir == "" {
		return nil
	}
	b.sums = append(b.sums, checksumOf(net))
	b.sums = b.sums[max(0, len(b.sums)-2):]
	return b.write(ctx)
}

func (b *bests) write(ctx context.Context) error {
	text, err := json.Marshal(bestJournal{1, b.sums})
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, storage.Join(b.dir, bestFile),
		func(w io.Writer) error { _, err := w.Write(text); return err })
}

// verify checks that the network in the model file is the best one of the run that continues.
func (b *bests) verify(ctx context.Context, net *nn.Network) error {
	text, err := storage.ReadFile(ctx, storage.Join(b.from, bestFile))
	if errors.Is(err, fs.ErrNotExist) { // older checkpoints have none
		b.warn(fmt.Sprintf("%s has no record of whether %s holds the best network of this run or of another one", b.from,
			b.save))
		return nil
	}
	var j bestJournal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		return badCheckpoint(storage.Join(b.from, bestFile), "%w", err)
	}
	sum := checksumOf(net)
	if !slices.Contains(j.Networks, sum) {
		return badFile("Save",
			"%s is not the best network of the run in %s: another run has written it since; put the run's file back, or "+
				"begin a new run",
			b.save, b.from)
	}
	b.sums = []uint32{sum}
	if b.dir == "" || b.dir == b.from {
		return nil
	}
	return b.write(ctx)
}
