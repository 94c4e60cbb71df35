package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// ddp times whole commands that train on Fashion-MNIST: dl4go train, and PyTorch's DistributedDataParallel over gloo,
// as TorchDistributor starts it. For a Spark cluster, TorchDistributor itself comes as well. Each command trains one epoch,
// and then 1 + epochs epochs; the difference is the time of later epochs. The commands run in turn, in pairs. Processor time
// does not include that of executors.
type ddp struct {
	cache, dir, model string
	masters           []string
	workers, epochs   int
	pairs             int
}

// contender is a command that trains a number of epochs.
type contender struct {
	name   string
	of     func(epochs int) []string
	wholes []cost // of each pair, with all epochs
	laters []cost // of an epoch after the first
}

// cost is in seconds: wall-clock time, and processor time of all processes and threads.
type cost struct{ wall, processors float64 }

func (d *ddp) run() error {
	all := d.contenders()
	for pair := range d.pairs {
		for _, c := range all {
			once, err := timeCommand(c.of(1))
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			whole, err := timeCommand(c.of(1 + d.epochs))
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			n := float64(d.epochs)
			later := cost{(whole.wall - once.wall) / n, (whole.processors - once.processors) / n}
			c.wholes, c.laters = append(c.wholes, whole), append(c.laters, later)
			progress("pair %d, %s: %.2f s an epoch, %.2f s on processors", pair, c.name, later.wall, later.processors)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s, batch %d, %d workers of 1 thread; medians of %d pairs, in seconds; ratios to DDP are of each pair\n",
		d.model, batch, d.workers, d.pairs)
	fmt.Fprintf(w, "training\tan epoch after the first\tratio\ton processors\tratio\tthe command, %d epochs\tratio\ton processors\tratio\n",
		1+d.epochs)
	for _, c := range all {
		fmt.Fprintf(w, "%s%s%s\n", c.name, columns(c.laters, all[0].laters), columns(c.wholes, all[0].wholes))
	}
	return w.Flush()
}

// columns returns the medians of costs, and the medians of their ratios to a peer's.
func columns(ours, peer []cost) string {
	var s strings.Builder
	for _, of := range []func(cost) float64{func(c cost) float64 { return c.wall }, func(c cost) float64 { return c.processors }} {
		var seconds, ratios []float64
		for i, c := range ours {
			seconds, ratios = append(seconds, of(c)), append(ratios, of(c)/of(peer[i]))
		}
		fmt.Fprintf(&s, "\t%.2f\t%.2f", median(seconds), median(ratios))
	}
	return s.String()
}

// contenders returns DDP, and dl4go with each training master on each engine.
func (d *ddp) contenders() []*contender {
	all := []*contender{{name: "DDP, gloo", of: func(epochs int) []string {
		return []string{filepath.Join(d.cache, "venv/bin/python"), "-m", "torch.distributed.run", "--standalone", "--nnodes=1",
			fmt.Sprintf("--nproc_per_node=%d", d.workers), "bench/peers/ddp.py", d.model, strconv.Itoa(epochs), d.dir}
	}}}
	data := fmt.Sprintf("idx:%s,%s", filepath.Join(d.dir, "train-images-idx3-ubyte.gz"),
		filepath.Join(d.dir, "train-labels-idx1-ubyte.gz"))
	if i := slices.IndexFunc(d.masters, func(master string) bool { return strings.HasPrefix(master, "sc://") }); i >= 0 {
		all = append(all, &contender{name: "TorchDistributor", of: func(epochs int) []string {
			return []string{filepath.Join(d.cache, "venv/bin/python"), "bench/peers/spark_ddp.py", d.masters[i], strconv.Itoa(d.workers),
				d.model, strconv.Itoa(epochs), d.dir}
		}})
	}
	for _, master := range d.masters {
		for _, way := range []string{"averaging", "sharing"} {
			all = append(all, &contender{name: master + ", " + way, of: func(epochs int) []string {
				return []string{filepath.Join(d.cache, "dl4go"), "train", "--model", d.model, "--data", data, "--test", "none",
					"--training", way, "--master", master, "--workers", strconv.Itoa(d.workers), "--threads", "1",
					"--batch", strconv.Itoa(batch), "--epochs", strconv.Itoa(epochs),
					"--save", filepath.Join(d.cache, "ddp.zip")}
			}})
		}
	}
	return all
}

// timeCommand runs a command and returns its cost, including the processes that it waited for.
func timeCommand(command []string) (c cost, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return c, fmt.Errorf("%w: %s", err, said.String())
	}
	p := cmd.ProcessState
	return cost{time.Since(start).Seconds(), (p.UserTime() + p.SystemTime()).Seconds()}, nil
}
