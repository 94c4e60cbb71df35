// Command bench times dl4go next to its peers, PyTorch, Deeplearning4j and ONNX Runtime, in one run. It alternates
// between dl4go and the peers, one pair after another, so that a change of the machine's speed affects all of them. It
// prints medians, and the medians of the ratios of the pairs.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	_ "github.com/dl4go/dl4go/internal/spark" // sc://… as a master
)

func main() {
	engine.Main()
	cache := flag.String("cache", ".cache/bench", "where run.sh has put the peers")
	pairs := flag.Int("pairs", 20, "pairs of measurements of each work")
	peers := flag.String("peers", "torch,dl4j", "the peers, by commas: torch, dl4j, jax; onnx, alone, has ONNX Runtime predict 1 row and 64 with the exported networks")
	names := flag.String("works", "", "the works, by commas (all)")
	threads := flag.Int("threads", 2, "threads of ours, and of the peers; a worker of -master has one")
	fashion := flag.String("fashion", "", "a directory with Fashion-MNIST's IDX files: times epochs instead")
	master := flag.String("master", "", "where workers are (-fashion: local[threads] by default), or the Spark cluster of -splits, -stream, -large, -predict: sc://host:port")
	model := flag.String("model", "mlp", "with -master, -accuracy: mlp, lenet, cnn or frozen; with -accuracy embedding too, which trains on made-up texts")
	gb := flag.Float64("stream", 0, "with -master: times so many GB of examples on their way through the workers instead, 1 say")
	splits := flag.Int("large", 0, "with -master: times so many splits of a network with 25 million parameters instead, 5 say")
	workers := flag.Int("memory", 0, "with -master: measures the memory of evaluating a network with 25 million parameters by so many workers instead")
	passes := flag.Int("epochs", 10, "with -fashion, -accuracy")
	ways := flag.String("ways", "jobs,resident,sharing", "with -fashion: how workers train, by commas: parameter averaging by jobs or resident workers, gradient sharing")
	perSplit := flag.Bool("splits", false, "with -fashion and -master: what a split of parameter averaging takes, beside the same bytes by queries that do nothing else")
	predicting := flag.Int("predict", 0, "with -master: times evaluating, predicting and scoring 10,000 images (of -fashion, or made up) so many times instead, each beside an empty query")
	var on device
	flag.StringVar(&on.name, "device", "", "the device of our training steps, as of dl4go train: xla-cpu, gpu?precision=bf16 (default: the processor)")
	flag.StringVar(&on.modules, "modules", "", "with -device: a directory for the StableHLO modules of the steps, which bench/peers/cuda_compile.py compiles for a GPU")
	var a accuracies
	statistics := flag.Bool("statistics", false, "with -fashion: what collecting statistics costs, in -pairs of epochs of parameter averaging")
	flag.StringVar(&a.dir, "accuracy", "", "a directory with Fashion-MNIST's IDX files, or digits: accuracies of gradient sharing beside plain training instead, for each of "+
		"-model, -master (local[2], processes[8]; plain:8: without workers, with minibatches 8 times as large) and -thresholds, all by commas")
	thresholds := flag.String("thresholds", "default", "with -accuracy: default, dl4j, fixed:THRESHOLD, adaptive:INITIAL:LEAST:MOST, target:INITIAL:SHARE")
	seeds := flag.String("seeds", "1,2,3,4,5", "with -accuracy")
	flag.StringVar((*string)(&a.options.Combine), "combine", "", "with -accuracy: mean, root or sum")
	flag.StringVar((*string)(&a.options.Values), "values", "", "with -accuracy: mean or threshold")
	flag.StringVar((*string)(&a.options.Thresholds), "scope", "", "with -accuracy: layer or network, which has a threshold of its own")
	flag.StringVar((*string)(&a.options.Release), "release", "", "with -accuracy: sum or each")
	flag.IntVar(&a.first, "first", 0, "with -accuracy: trains on so many examples, the first ones (all)")
	flag.IntVar(&a.minibatch, "minibatch", 0, "with -accuracy: examples of a worker's minibatch (the default of dl4go train)")
	flag.IntVar(&a.options.WarmUp, "warm-up", 0, "with -accuracy: steps of the warm-up")
	flag.BoolVar(&a.options.MaskMomentum, "mask-momentum", false, "with -accuracy")
	ddpWorkers := flag.Int("ddp", 0, "with -fashion: times whole commands of so many workers beside PyTorch's DistributedDataParallel instead, on each -master, by commas "+
		"(local and processes)")
	trainings := flag.Int("digits", 0, "trains the digits by gradient sharing so many times instead, 300 say, on -master (local[2]; plain: in this process): how far "+
		"accuracies differ")
	flag.Parse()
	var err error
	if a.dir != "" {
		a.models, a.masters, a.algorithms, a.epochs = split(*model), split(cmp.Or(*master, "local[2]")), split(*thresholds), *passes
		if a.seeds, err = numbers(*seeds); err == nil {
			err = a.run()
		}
	} else if n := *ddpWorkers; n > 0 {
		masters := cmp.Or(*master, fmt.Sprintf("local[%d],processes[%d]", n, n))
		err = (&ddp{cache: *cache, dir: *fashion, model: *model, masters: split(masters), workers: n, epochs: *passes, pairs: *pairs}).run()
	} else if *trainings > 0 {
		err = digits(cmp.Or(*master, "local[2]"), *trainings)
	} else if *workers > 0 {
		err = evaluation(cmp.Or(*master, fmt.Sprintf("local[%d]", *threads)), *workers)
	} else if *master == "" && (*gb > 0 || *splits > 0 || *perSplit || *predicting > 0) {
		err = errors.New("-stream, -large, -splits and -predict need a cluster, -master")
	} else if *predicting > 0 {
		err = applying(*fashion, *master, *model, *predicting)
	} else if *gb > 0 {
		err = stream(*master, *gb)
	} else if *splits > 0 {
		err = large(*master, *splits)
	} else if *master != "" && *fashion == "" {
		err = errors.New("-master trains on Fashion-MNIST: name its directory by -fashion")
	} else if *perSplit {
		err = onSpark(*fashion, *master, *model, *passes)
	} else if *statistics {
		err = collecting(*fashion, cmp.Or(*master, fmt.Sprintf("local[%d]", *threads)), *model, *pairs)
	} else if *fashion != "" {
		err = epochs(*fashion, cmp.Or(*master, fmt.Sprintf("local[%d]", *threads)), *model, *threads, *passes, split(*ways))
	} else {
		err = steps(*cache, *pairs, *threads, split(*peers), split(*names), &on)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func numbers(s string) (all []int64, err error) {
	for _, f := range split(s) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// steps times single training steps and products.
func steps(cache string, pairs, threads int, peerNames, only []string, on *device) error {
	todo, cleanUp, err := todoBeside(peerNames, threads, on)
	if err != nil {
		return err
	}
	defer cleanUp()
	var peers []*peer
	for _, name := range peerNames {
		command := map[string][]string{
			"torch": {filepath.Join(cache, "venv/bin/python"), "bench/peers/torch_peer.py"},
			"jax":   {filepath.Join(cache, "venv/bin/python"), "bench/peers/jax_peer.py"},
			"onnx":  {filepath.Join(cache, "venv/bin/python"), "bench/peers/onnx_peer.py"},
			"dl4j":  {"java", "-Xmx3g", "-cp", filepath.Join(cache, "classes") + ":" + filepath.Join(cache, "dl4j") + "/*", "Dl4jPeer"},
		}[name]
		if command == nil {
			return fmt.Errorf("there is no peer %q: torch, dl4j, jax, onnx", name)
		}
		p, err := startPeer(name, threads, command...)
		if err != nil {
			return err
		}
		defer p.close()
		peers = append(peers, p)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "kernels %v, %d threads, %d pairs; medians in ms, cpu: ms on processors, all threads together\nwork\tdl4go\tcpu", kernel.Best(), threads, pairs)
	for _, p := range peers {
		fmt.Fprintf(w, "\t%s %s\tours/%s\tcpu\tours/%s", p.name, p.version, p.name, p.name)
	}
	fmt.Fprintln(w, "\tGFLOP/s of ours")
	for _, k := range todo {
		if only != nil && !slices.Contains(only, k.name) {
			continue
		}
		run, err := k.setUp()
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		times := make([][]float64, 2+2*len(peers)) // wall-clock and processor time, in turn
		for i := range pairs + 1 {
			began := on.processorTime()
			ours, err := timeOurs(run, k.calls)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			row := []float64{ours, (on.processorTime() - began) / float64(k.calls)}
			for _, p := range peers {
				began := processorTime(p.cmd.Process.Pid)
				ms, err := p.time(k.name, k.calls)
				if err != nil {
					return err
				}
				row = append(row, ms, (processorTime(p.cmd.Process.Pid)-began)/float64(k.calls))
				time.Sleep(30 * time.Millisecond) // the peer's threads stop spinning
			}
			if i == 0 {
				continue // warm-up
			}
			for j, ms := range row {
				times[j] = append(times[j], ms)
			}
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.2f", k.name, median(times[0]), median(times[1]))
		for j := 2; j < len(times); j++ {
			var ratios []float64
			for i, ms := range times[j] {
				ratios = append(ratios, times[j%2][i]/ms)
			}
			fmt.Fprintf(w, "\t%.3f\t%.2f", median(times[j]), median(ratios))
		}
		if k.flop > 0 {
			fmt.Fprintf(w, "\t%.0f", k.flop/median(times[0])/1e6)
		}
		fmt.Fprintln(w)
		w.Flush()
	}
	return w.Flush()
}

// todoBeside returns the works for some peers, and creates the files that these need.
func todoBeside(peers []string, threads int, on *device) (all []work, cleanUp func(), err error) {
	if !slices.Contains(peers, "onnx") {
		_, err := picturesFolder()
		return works(threads, on), func() {}, err
	}
	dir, err := os.MkdirTemp("", "dl4go-bench-")
	if err != nil {
		return nil, nil, err
	}
	cleanUp = func() { os.RemoveAll(dir) }
	if all, err = predictions(dir, threads); err != nil {
		cleanUp()
		return nil, nil, err
	}
	return all, cleanUp, os.Setenv("DL4GO_BENCH_ONNX", dir)
}

func timeOurs(run func() error, calls int) (float64, error) {
	start := time.Now()
	for range calls {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() * 1e3 / float64(calls), nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	if n == 0 {
		return 0
	}
	return (x[(n-1)/2] + x[n/2]) / 2
}
