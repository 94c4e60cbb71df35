package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// tally reads all examples of its partition and writes a byte of their number.
var tally = engine.Register("bench.tally", func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	var n byte
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		m, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return err
		}
		n += byte(m.Examples()) // its value does not matter
	}
	return out.Write(engine.Unindexed([]byte{n}))
})

// stream times how fast gb GB of examples pass through the workers: from saved DataSets that Spark reads, and from
// Spark's copy on disk. It prints the memory of this process.
func stream(master string, gb float64) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "dl4go-stream-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const examples, features = 256, 1024
	x, y := tensor.New(examples, features), tensor.New(examples, 10)
	for i := range x.Data {
		x.Data[i] = rand.Float32()
	}
	for i := range examples {
		y.Data[i*10+i%10] = 1
	}
	var set bytes.Buffer
	if err := data.WriteDataSet(&set, &data.DataSet{Features: x, Labels: y}); err != nil {
		return err
	}
	files := int(gb * 1e9 / float64(set.Len()))
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("dataset_%d.bin", i)), set.Bytes(), 0o644); err != nil {
			return err
		}
	}
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer e.Close()
	size := float64(files*set.Len()) / 1e6
	before := memory()
	at := dir
	if strings.HasPrefix(master, "sc") {
		at = "file://" + dir
	}
	d, err := distributed.FromDirectory(ctx, e, at, 0)
	if err != nil {
		return err
	}
	pass := func(what string, d *distributed.Data) error {
		begin := time.Now()
		counts, err := d.Rows().Map(tally.With(struct{}{})).CollectAll(ctx)
		if err != nil {
			return err
		}
		s := time.Since(begin).Seconds()
		fmt.Printf("%s: %.0f MB in %d partitions through the workers in %.2f s, %.0f MB/s; this process has %s (before %s)\n",
			what, size, len(counts), s, size/s, memory(), before)
		return nil
	}
	for i := range 3 {
		if err := pass(fmt.Sprintf("from files, pass %d", i+1), d); err != nil {
			return err
		}
	}
	d.Persist(engine.DiskOnly)
	for i := range 3 {
		if err := pass(fmt.Sprintf("kept on disk, pass %d", i+1), d); err != nil {
			return err
		}
	}
	return nil
}

// memory returns this process's peak memory, if the system reports it.
func memory() string {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.Join(strings.Fields(rest), " ")
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("%d kB", m.Sys>>10)
}
