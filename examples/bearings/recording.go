package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/tensor"
)

// states are what a machine can be in: the classes.
var states = []string{"healthy", "unbalanced", "misaligned", "worn bearing"}

// A file has the recordings of one machine: the magic number, then for each recording a byte for the state and samples
// of 16 bits, little end first.
const (
	magic   = "VIB1"
	rate    = 2048 // samples a second
	samples = 256
	each    = 40 // recordings of a machine
)

type recording struct {
	State   uint8
	Samples [samples]int16
}

// recordings reads such files. As it is registered, workers know it by its name.
var recordings = distributed.RegisterLoader("bearings.vib", func(path string, content io.Reader) (*data.MultiDataSet,
	error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b, ok := bytes.CutPrefix(b, []byte(magic))
	size := binary.Size(recording{})
	if !ok || len(b)%size != 0 {
		return nil, fmt.Errorf("%s: not a file of recordings: %d bytes after %q wanted for each", path, size, magic)
	}
	list := make([]recording, len(b)/size)
	if _, err := binary.Decode(b, binary.LittleEndian, list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x, y := tensor.New(len(list), samples), tensor.New(len(list), len(states))
	for i, r := range list {
		if int(r.State) >= len(states) {
			return nil, fmt.Errorf("%s: recording %d is of state %d: there are %d", path, i, r.State, len(states))
		}
		for t, v := range r.Samples {
			x.Data[i*samples+t] = float32(v) / math.MaxInt16
		}
		y.Data[i*len(states)+int(r.State)] = 1
	}
	return &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}, nil
})

// record writes the files of the given number of machines, always the same ones.
func record(dir, part string, machines int) ([]string, error) {
	var paths []string
	for m := range machines {
		r := rand.New(rand.NewPCG(uint64(m), uint64(len(part))))
		list := make([]recording, each)
		for i := range list {
			list[i].State = uint8(r.IntN(len(states)))
			vibrate(&list[i], r)
		}
		b := bytes.NewBufferString(magic)
		if err := binary.Write(b, binary.LittleEndian, list); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, fmt.Sprintf("%s-%02d.vib", part, m))
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// vibrate fills in what such a machine's sensor gives: its turning at 25 to 40 turns a second, which shows once a turn
// where a weight is off and twice where a shaft is, and a ringing at every turn of a worn bearing; and noise.
func vibrate(rec *recording, r *rand.Rand) {
	turns, phase := 25+15*r.Float64(), r.Float64()
	once, twice, ringing := 0.1, 0.05, 0.0
	switch states[rec.State] {
	case "unbalanced":
		once += 0.15 + 0.2*r.Float64()
	case "misaligned":
		twice += 0.15 + 0.2*r.Float64()
	case "worn bearing":
		ringing = 0.2 + 0.3*r.Float64()
	}
	for t := range rec.Samples {
		at := phase + turns*float64(t)/rate // turns so far
		since := math.Mod(3.6*at, 1) / 3.6 / turns
		v := once*math.Sin(2*math.Pi*at) + twice*math.Sin(4*math.Pi*at) +
			ringing*math.Exp(-since*300)*math.Sin(2*math.Pi*300*since) + 0.05*r.NormFloat64()
		rec.Samples[t] = int16(math.MaxInt16 * max(-1, min(1, v)))
	}
}
