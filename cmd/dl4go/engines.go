package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/local"
	_ "github.com/dl4go/dl4go/engine/spark" // sc://…
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/internal/spark/deploy"
	"github.com/dl4go/dl4go/internal/tune"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/program/cpu"
	"github.com/dl4go/dl4go/storage"
)

// engineFlags say where work runs.
type engineFlags struct {
	master     string
	threads    int
	kernel     string
	device     xla.Flags
	connection engine.Connection
	binaries   []string
	files      []string // needed by workers beside the program
	withLong   bool     // tasks may take very long, and report progress themselves
	flags      *pflag.FlagSet
}

// masters are the beginnings of master strings.
var masters = []string{"local", "processes", "sc"}

// clusterFlags only apply to --master sc://….
var clusterFlags = []string{"token-file", "ca-file", "client-cert", "client-key", "server-name", "insecure",
	"worker-binary"}

func (f *engineFlags) add(fs *pflag.FlagSet, master string) {
	f.addMaster(fs, master)
	fs.IntVar(&f.threads, "threads", 0, "`N` threads per worker (default: cores / workers)")
	fs.StringVar(&f.kernel, "kernel", "", "`NAME` portable, avx2 or avx512 (default: the best)")
	f.addCluster(fs)
}

func (f *engineFlags) addMaster(fs *pflag.FlagSet, master string) {
	f.flags = fs
	fs.StringVar(&f.master, "master", master, "`ENGINE` local[N], processes[N] or sc://…")
}

func (f *engineFlags) addCluster(fs *pflag.FlagSet) {
	c := &f.connection
	fs.StringVar(&c.TokenFile, "token-file", "", "`FILE` file with the server's token")
	fs.StringVar(&c.CAFile, "ca-file", "", "`FILE` PEM certificates to trust")
	fs.StringVar(&c.CertFile, "client-cert", "", "`FILE` PEM certificate of this client")
	fs.StringVar(&c.KeyFile, "client-key", "", "`FILE` PEM key of this client")
	fs.StringVar(&c.ServerName, "server-name", "", "`NAME` name in the server's certificate")
	fs.BoolVar(&c.Insecure, "insecure", false, "allow a connection without TLS")
	fs.StringArrayVar(&f.binaries, "worker-binary", nil, "`KIND=FILE` dl4go of other executors, or file:///PATH")
}

// kernels returns the instruction set.
func (f *engineFlags) kernels() (cpu.Kernels, error) {
	if f.kernel == "" {
		return cpu.Kernels{}, nil
	}
	k, err := cpu.ParseKernels(f.kernel)
	if err != nil {
		err = usagef("--kernel: %w", err)
	}
	return k, err
}

// addDevice adds the flags of commands whose networks can run on a device.
func (f *engineFlags) addDevice(fs *pflag.FlagSet) {
	d := &f.device
	fs.StringVar(&d.Device, "device", "", "`DEVICE` cpu (default), gpu, gpu:N, xla-cpu or auto")
	fs.StringVar(&d.Precision, "precision", "", "`NAME` of products: float32 (default), tf32 or bf16")
	fs.StringVar(&d.Memory, "device-memory", "", "`LIMIT` of a worker, such as 50% or 4GiB (default: 90%)")
	fs.StringVar(&d.Plugins, "device-plugins", "", "`DIR` with plugins, on the workers' machines")
}

// addSharing adds the flag of commands that can assign a device to each worker.
func (f *engineFlags) addSharing(fs *pflag.FlagSet) {
	fs.IntVar(&f.device.Workers, "workers-per-device", 0, "`N` workers share a device (default 1)")
}

// processor returns the processor for networks: a device, or the instruction set of this program's kernels. With
// spread, each worker gets a device.
func (f *engineFlags) processor(spread bool) (string, error) {
	k, err := f.kernels()
	if err != nil {
		return "", err
	}
	f.device.Remote, f.device.Host = f.kind() == "sc", k.String()
	if f.device.Plugins, err = storage.Path(f.device.Plugins); err != nil {
		return "", usagef("--device-plugins: %w", err)
	}
	c, onDevice, err := f.device.Choice()
	switch {
	case err != nil:
		return "", usagef("%w", err)
	case !onDevice:
		return c.Host, nil
	case f.device.Remote:
		f.files = xla.Files()
		return c.String(), nil
	case f.kernel != "":
		return "", usagef("--kernel is about --device cpu: it has no effect with --device %s", c.Device)
	}
	if err := c.Check(); err != nil {
		return "", err
	}
	if spread {
		f.master, err = c.Spread(f.master)
	}
	return c.String(), err
}

// kind returns the beginning of the master string.
func (f *engineFlags) kind() string {
	if i := strings.IndexAny(f.master, "[:"); i >= 0 {
		return f.master[:i]
	}
	return f.master
}

// clusterOnly returns a given flag that only applies to a cluster.
func (f *engineFlags) clusterOnly() (name string, given bool) {
	i := slices.IndexFunc(clusterFlags, f.flags.Changed)
	if i < 0 {
		return "", false
	}
	return clusterFlags[i], true
}

// options returns the options of the engine.
func (f *engineFlags) options(o *console.Output) (engine.Options, error) {
	e := engine.Options{Threads: f.threads, Connection: f.connection, Log: o.Log(), Progress: o.Tasks,
		WorkerFiles: f.files}
	if f.withLong {
		e.TaskDeadline, e.Progress = tune.Deadline, nil
	}
	if f.kind() != "sc" && slices.Contains(masters, f.kind()) {
		if name, given := f.clusterOnly(); given {
			return e, usagef("--%s is about --master sc://…: it has no effect with --master %s", name, f.master)
		}
	}
	if (f.connection.CertFile == "") != (f.connection.KeyFile == "") {
		return e, usagef("--client-cert and --client-key are given together")
	}
	for _, b := range f.binaries {
		platform, file, _ := strings.Cut(b, "=")
		if file == "" {
			return e, usagef("--worker-binary %q: wanted OS/ARCH=FILE, such as linux/arm64=FILE", b)
		}
		if _, err := deploy.ParsePlatform(platform); err != nil {
			return e, usagef("--worker-binary: %w", err)
		}
		if e.WorkerBinaries == nil {
			e.WorkerBinaries = make(map[string]string)
		}
		e.WorkerBinaries[platform] = file
	}
	return e, nil
}

// open starts the engine.
func (f *engineFlags) open(ctx context.Context, o *console.Output) (engine.Engine, error) {
	options, err := f.options(o)
	if err != nil {
		return nil, err
	}
	if f.kind() == "sc" {
		frugal(25)
	}
	e, err := engine.Open(ctx, f.master, options)
	return e, f.explain(err)
}

// explain turns an invalid master string into an error of the command line.
func (f *engineFlags) explain(err error) error {
	var wrong *engine.MasterError
	if !errors.As(err, &wrong) {
		return err
	}
	switch kind := f.kind(); {
	case slices.Contains(masters, kind):
	case slices.Contains([]string{"spark", "yarn", "k8s", "mesos"}, kind):
		err = fmt.Errorf("%w; whatever runs the cluster, dl4go speaks to its Spark Connect server, sc://HOST:15002", err)
	default:
		err = fmt.Errorf("%w%s", err, registry.SuggestWord(kind, masters))
	}
	return usagef("--master: %w", err)
}
