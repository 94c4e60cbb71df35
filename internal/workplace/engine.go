package workplace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/internal/spark/deploy"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/storage"
)

// Engine says where work runs. Its fields are values of flags.
type Engine struct {
	Master     string
	Threads    int
	Kernel     string
	Device     xla.Flags
	Connection engine.Connection
	Binaries   []string      // KIND=FILE
	Deadline   time.Duration // of tasks that take very long, and report progress themselves; 0: there are none
	// Given reports whether a flag was given. It may be nil if no flag of ClusterFlags exists.
	Given func(flag string) bool

	files []string // needed by workers beside the program
}

// masters are the beginnings of master strings.
var masters = []string{"local", "processes", "sc"}

// ClusterFlags are the flags that only apply to --master sc://….
var ClusterFlags = []string{"token-file", "ca-file", "client-cert", "client-key", "server-name", "insecure",
	"worker-binary"}

// Kernels returns the instruction set.
func (f *Engine) Kernels() (cpu.Kernels, error) {
	if f.Kernel == "" {
		return cpu.Kernels{}, nil
	}
	name := f.Kernel
	if name == "amx" {
		if !strings.EqualFold(f.Device.Precision, string(xla.BF16)) {
			return cpu.Kernels{}, usage.Errorf("--kernel amx: these kernels only have products of bfloat16; " +
				"add --precision bf16, or choose avx512")
		}
		name += "?precision=bf16"
	}
	k, err := cpu.ParseKernels(name)
	if err != nil {
		err = usage.Errorf("--kernel: %w", err)
	}
	return k, err
}

// Processor returns the processor for networks: a device, or the instruction set of this program's kernels. With
// spread, each worker gets a device. It warns of bfloat16 that is slower than float32.
func (f *Engine) Processor(spread bool, warn func(format string, args ...any)) (string, error) {
	k, err := f.Kernels()
	if err != nil {
		return "", err
	}
	f.Device.Remote, f.Device.Host = f.Kind() == "sc", k
	if f.Device.Plugins, err = storage.Path(f.Device.Plugins); err != nil {
		return "", usage.Errorf("--device-plugins: %w", err)
	}
	c, onDevice, err := f.Device.Choice()
	switch {
	case err != nil:
		return "", usage.Errorf("%w", err)
	case !onDevice:
		if k, _ := cpu.ParseKernels(c.Host); k.SlowBF16() && !f.Device.Remote {
			warn("--precision bf16: this processor multiplies bfloat16 more slowly than float32, for it has no AMX; " +
				"leave --precision out")
		}
		return c.Host, nil
	case f.Device.Remote:
		f.files = xla.Files()
		return c.String(), nil
	case f.Kernel != "":
		return "", usage.Errorf("--kernel is about --device cpu: it has no effect with --device %s", c.Device)
	}
	if err := c.Check(); err != nil {
		return "", err
	}
	if spread {
		f.Master, err = c.Spread(f.Master)
	}
	return c.String(), err
}

// Kind returns the beginning of the master string.
func (f *Engine) Kind() string {
	if i := strings.IndexAny(f.Master, "[:"); i >= 0 {
		return f.Master[:i]
	}
	return f.Master
}

// ClusterOnly returns a given flag that only applies to a cluster.
func (f *Engine) ClusterOnly() (name string, given bool) {
	i := slices.IndexFunc(ClusterFlags, f.Given)
	if i < 0 {
		return "", false
	}
	return ClusterFlags[i], true
}

// Options returns the options of the engine.
func (f *Engine) Options(o *console.Output) (engine.Options, error) {
	e := engine.Options{Threads: f.Threads, Connection: f.Connection, Log: o.Log(), Progress: o.Tasks,
		WorkerFiles: f.files}
	if f.Deadline > 0 {
		e.TaskDeadline, e.Progress = f.Deadline, nil
	}
	if f.Kind() != "sc" && slices.Contains(masters, f.Kind()) {
		if name, given := f.ClusterOnly(); given {
			return e, usage.Errorf("--%s is about --master sc://…: it has no effect with --master %s", name, f.Master)
		}
	}
	if (f.Connection.CertFile == "") != (f.Connection.KeyFile == "") {
		return e, usage.Errorf("--client-cert and --client-key are given together")
	}
	for _, b := range f.Binaries {
		platform, file, _ := strings.Cut(b, "=")
		if file == "" {
			return e, usage.Errorf("--worker-binary %q: wanted OS/ARCH=FILE, such as linux/arm64=FILE", b)
		}
		if _, err := deploy.ParsePlatform(platform); err != nil {
			return e, usage.Errorf("--worker-binary: %w", err)
		}
		if e.WorkerBinaries == nil {
			e.WorkerBinaries = make(map[string]string)
		}
		e.WorkerBinaries[platform] = file
	}
	return e, nil
}

// Open starts the engine.
func (f *Engine) Open(ctx context.Context, o *console.Output) (engine.Engine, error) {
	options, err := f.Options(o)
	if err != nil {
		return nil, err
	}
	if f.Kind() == "sc" {
		frugal(25)
	}
	e, err := engine.Open(ctx, f.Master, options)
	return e, f.Explain(err)
}

// Explain turns an invalid master string into an error of the command line.
func (f *Engine) Explain(err error) error {
	var wrong *engine.MasterError
	if !errors.As(err, &wrong) {
		return err
	}
	switch kind := f.Kind(); {
	case slices.Contains([]string{"spark", "yarn", "k8s", "mesos"}, kind):
		err = fmt.Errorf("%w; whatever runs the cluster, dl4go speaks to its Spark Connect server, sc://HOST:15002", err)
	case !slices.Contains(masters, kind) && !strings.Contains(wrong.Reason, "did you mean"):
		err = fmt.Errorf("%w%s", err, registry.SuggestWord(kind, masters))
	}
	return usage.Errorf("--%w", err) // the error begins with "master"
}
