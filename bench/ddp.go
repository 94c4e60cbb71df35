package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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
// and then 1 + epochs epochs; the difference is the processor time of later epochs. Their wall-clock time is what the longer
// command prints, or the difference where it prints none. The commands run in turn, in pairs. Processor time does not include
// that of executors.
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
	wholes []cost    // of each pair, with all epochs
	laters []cost    // of an epoch after the first
	firsts []float64 // seconds that the first epoch takes more, where the command prints epochs
}

// cost is in seconds: wall-clock time, and processor time of all processes and threads.
type cost struct{ wall, processors float64 }

func (d *ddp) run() error {
	all := d.contenders()
	for pair := range d.pairs {
		for _, c := range all {
			once, _, err := timeCommand(c.of(1))
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			whole, epochs, err := timeCommand(c.of(1 + d.epochs))
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			n := float64(d.epochs)
			later := cost{(whole.wall - once.wall) / n, (whole.processors - once.processors) / n}
			if len(epochs) == 1+d.epochs {
				later.wall = median(epochs[1:])
				c.firsts = append(c.firsts, epochs[0]-later.wall)
			}
			c.wholes, c.laters = append(c.wholes, whole), append(c.laters, later)
			progress("pair %d, %s: %.2f s an epoch, %.2f s on processors, %.2f s in all; epochs %.2f", pair, c.name, later.wall,
				later.processors, whole.wall, epochs)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s, batch %d, %d workers of 1 thread; medians of %d pairs, in seconds; ratios to DDP are of each pair\n",
		d.model, batch, d.workers, d.pairs)
	fmt.Fprintf(w, "training\tan epoch after the first\tratio\ton processors\tratio\tthe first, more\tthe command, %d epochs\tratio\t"+
		"on processors\tratio\n", 1+d.epochs)
	for _, c := range all {
		first := ""
		if len(c.firsts) > 0 {
			first = fmt.Sprintf("%.2f", median(c.firsts))
		}
		fmt.Fprintf(w, "%s%s\t%s%s\n", c.name, columns(c.laters, all[0].laters), first, columns(c.wholes, all[0].wholes))
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
					"--json", "--save", filepath.Join(d.cache, "ddp.zip")}
			}})
		}
	}
	return all
}

// timeCommand runs a command and returns its cost, including the processes that it waited for, and the seconds of the epochs
// that it printed: lines of JSON with the event "epoch".
func timeCommand(command []string) (c cost, epochs []float64, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	var printed bytes.Buffer
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &said
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return c, nil, fmt.Errorf("%w: %s", err, said.String())
	}
	c.wall = time.Since(start).Seconds()
	p := cmd.ProcessState
	c.processors = (p.UserTime() + p.SystemTime()).Seconds()
	for line := range bytes.Lines(printed.Bytes()) {
		var e struct {
			Event   string
			Seconds float64
		}
		if json.Unmarshal(line, &e) == nil && e.Event == "epoch" {
			epochs = append(epochs, e.Seconds)
		}
	}
	return c, epochs, nil
}
