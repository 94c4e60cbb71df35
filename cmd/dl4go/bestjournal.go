package main

import (
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

// bestFile is beside the checkpoints of a run with early stopping. Its checksums tell the run's best network in
// --save from another run's: that of the saved network and, before it is replaced, that of the next one. A kill in
// between leaves either.
const bestFile = "checkpoint-best.json"

type bestJournal struct {
	Version  int      `json:"version"`
	Networks []uint32 `json:"networks"` // checksums, the last one's at the end
}

// checksumOf is the CRC32C of a network's parameters and counts.
func checksumOf(net nn.Network) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Checksum(tensor.Bytes(net.Params()), table)
	return crc32.Update(sum, table, fmt.Appendf(nil, "%d %d", net.Iteration(), net.Epoch()))
}

// replacesBest notes that a network is about to take the best one's place.
func (t *training) replacesBest(net nn.Network) error {
	if t.keeper == nil {
		return nil
	}
	t.bests = append(t.bests, checksumOf(net))
	t.bests = t.bests[max(0, len(t.bests)-2):]
	return t.writeBests()
}

func (t *training) writeBests() error {
	text, err := json.Marshal(bestJournal{1, t.bests})
	if err != nil {
		return err
	}
	return storage.WriteFile(storage.Join(t.keeper.dir.Path(), bestFile), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// verifyBest says whether the network in --save is the best one of the run that goes on.
func (t *training) verifyBest(net nn.Network) error {
	at := t.from.dir.Path()
	text, err := storage.ReadFile(storage.Join(at, bestFile))
	if errors.Is(err, fs.ErrNotExist) { // checkpoints of before have none
		t.out.warn("%s has no record of whether %s holds the best network of this run or of another one", at, t.save)
		return nil
	}
	var j bestJournal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		return fmt.Errorf("--resume: %s: %w", storage.Join(at, bestFile), err)
	}
	sum := checksumOf(net)
	if !slices.Contains(j.Networks, sum) {
		return fmt.Errorf("--save: %s is not the best network of the run in %s: another run has written it since; put the run's file back, or begin a new run",
			t.save, at)
	}
	t.bests = []uint32{sum}
	if t.keeper == nil || t.keeper.dir.Path() == at {
		return nil
	}
	return t.writeBests()
}
