package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

// evaluation measures the peak memory of evaluating a network of 25 million parameters with the given number of
// workers. It adds up this process and its children; Linux divides pages that they share.
func evaluation(master string, workers int) error {
	const features, examples = 784, 4096
	ctx := context.Background()
	net, err := nn.New(nn.Configuration{Seed: 1, Updater: updater.NewSgd(), Activation: activation.ReLU{}, InputType: inputtype.FeedForward(features),
		Layers: []layer.Layer{layer.Dense{NOut: 5000}, layer.Dense{NOut: 4200},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		return err
	}
	net.Init(1)
	e, err := engine.Open(ctx, master, engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer e.Close()
	var sets []*data.MultiDataSet
	for i := range examples {
		x, y := tensor.New(1, features), tensor.New(1, 10)
		for k := range x.Data {
			x.Data[k] = float32((i+k)%7) / 7
		}
		y.Data[i%10] = 1
		sets = append(sets, (&data.DataSet{Features: x, Labels: y}).Multi())
	}
	d, err := distributed.FromDataSets(e, sets, 16)
	if err != nil {
		return err
	}
	sets = nil
	done, peak := make(chan struct{}), make(chan int)
	go func() {
		most := 0
		for {
			most = max(most, resident(os.Getpid()))
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	began := time.Now()
	m := distributed.New(e, net, nil, distributed.Options{})
	_, err = m.DoEvaluation(ctx, d, distributed.EvaluationOptions{Workers: workers}, eval.NewEvaluation(0), eval.NewROCMultiClass(0))
	close(done)
	fmt.Printf("%s, %d evaluation workers, %d parameters (%d MB): at most %d MB, %.1f s\n", e.Master(), workers, net.NumParams(), 4*net.NumParams()>>20,
		<-peak>>10, time.Since(began).Seconds())
	return err
}

// resident returns the KiB of memory of a process and its children. Pages that several processes share are divided
// among them.
func resident(pid int) (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range bytes.Lines(text) {
		if f := strings.Fields(string(line)); len(f) > 1 && f[0] == "Pss:" {
			kib, _ = strconv.Atoi(f[1])
		}
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		children, _ := os.ReadFile(l)
		for _, c := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(c); err == nil {
				kib += resident(child)
			}
		}
	}
	return kib
}
