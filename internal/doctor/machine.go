package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/cores"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/progress"
)

// Memory for each worker, and disk space for spilled partitions, that a machine should have.
const (
	memoryEach = 256 << 20
	spaceLeast = 1 << 30
)

// MachineChecks returns the checks of this machine, for an engine on it.
func MachineChecks(e engine.Engine, want Options) []checkup.Check {
	check := func(name string, f func() checkup.Finding) checkup.Check {
		return checkup.Check{Name: name, Run: func(context.Context) []checkup.Finding { return []checkup.Finding{f()} }}
	}
	checks := []checkup.Check{
		check("processors", func() checkup.Finding {
			return processors(e.Slots(), e.Threads(), cores.Count(), want.Workers)
		}),
		check("kernels", func() checkup.Finding { return instructions(want.Kernel, runtime.GOARCH) }),
		check("memory", func() checkup.Finding { return enough(checkup.ReadMemory(), e.Slots()) }),
		check("devices", func() checkup.Finding { return machineGPUs().devices() }),
		check("temporary", func() checkup.Finding { return temporary(os.TempDir(), checkup.Free(os.TempDir())) }),
	}
	if here := numa.Here(); here != nil {
		checks = slices.Insert(checks, 1, check("nodes", func() checkup.Finding {
			return nodes(here, strings.HasPrefix(e.Master(), "processes"), e.Slots(), e.Threads(), interleaves)
		}))
	}
	return checks
}

func processors(slots, threads, cores, wanted int) checkup.Finding {
	text := fmt.Sprintf("%s, %s each, on %s", progress.Plural(slots, "worker"), progress.Plural(threads, "thread"),
		progress.Plural(cores, "core"))
	switch {
	case slots < wanted:
		return checkup.Warn(text+fmt.Sprintf("; %s are wanted, and run one after the other",
			progress.Plural(wanted, "worker")),
			"more workers in --master")
	case slots*threads > cores:
		return checkup.Warn(text,
			"fewer workers in --master, or fewer --threads: more than there are cores hold each other up")
	}
	return checkup.Okf("%s", text)
}

func instructions(chosen, arch string) checkup.Finding {
	text := fmt.Sprintf("%s, of %v", chosen, kernel.Available())
	if bf16 := kernel.BF16(); len(bf16) > 0 {
		text += fmt.Sprintf(", and with --precision bf16 %s", bf16[len(bf16)-1])
		if len(bf16) == 1 && kernel.SlowBF16() {
			text += ", which is slower than float32 here"
		}
	}
	if arch == "amd64" && kernel.Best() == kernel.Portable {
		return checkup.Warn(text,
			"this processor has no AVX2, or hides it (a virtual machine's model of it may): computations take several times "+
				"as long")
	}
	return checkup.Okf("%s", text)
}

func enough(m checkup.Memory, slots int) checkup.Finding {
	if m.All() == 0 {
		return checkup.Okf("not known on %s", runtime.GOOS)
	}
	free := m.Available
	if m.Limit > 0 {
		free = min(free, m.Limit)
	}
	text := fmt.Sprintf("%s, %s of them free", progress.Bytes(m.All()), progress.Bytes(free))
	if free < int64(slots)*memoryEach {
		return checkup.Warn(text, fmt.Sprintf("less workers in --master: %s of them need %s or more", fmt.Sprint(slots),
			progress.Bytes(int64(slots)*memoryEach)))
	}
	return checkup.Okf("%s", text)
}

func temporary(dir string, free int64) checkup.Finding {
	f, err := os.CreateTemp(dir, "dl4go-doctor-")
	if err == nil {
		f.Close()
		err = os.Remove(f.Name())
	}
	if err != nil {
		return checkup.Fail(err.Error(),
			"name another directory in TMPDIR: exported data and partitions that don't fit in memory go there")
	}
	if free < 0 {
		return checkup.Okf("%s", dir)
	}
	text := fmt.Sprintf("%s, %s free", dir, progress.Bytes(free))
	if free < spaceLeast {
		return checkup.Warn(text,
			"name another directory in TMPDIR, or make room: exported data and partitions that don't fit in memory go there")
	}
	return checkup.Okf("%s", text)
}
