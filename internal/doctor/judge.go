package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/progress"
)

// judgeSlots compares the slots with the wanted number, and with the machines' cores.
func (e *exam) judgeSlots(context.Context) checkup.Finding {
	text := fmt.Sprintf("%s at a time", progress.Plural(e.slots, "task"))
	if p := e.settings["spark.default.parallelism"]; p != "" {
		text += " (as spark.default.parallelism says)"
	}
	if e.slots < e.wanted.Workers {
		return checkup.Warn(text+fmt.Sprintf(", and %s are wanted: they run one after the other",
			progress.Plural(e.wanted.Workers, "worker")),
			"more executors or cores (spark.executor.instances, spark.executor.cores), or less --workers")
	}
	tasks, has := make(map[string]int), make(map[string]int)
	for _, f := range e.facts {
		tasks[f.Host]++
		has[f.Host] = f.Cores
	}
	threads := max(1, e.options.Threads)
	for _, host := range e.hosts() {
		if tasks[host]*threads > has[host] {
			return checkup.Warn(text+fmt.Sprintf("; %s has %s for %s of %s", host, progress.Plural(has[host], "core"),
				progress.Plural(tasks[host], "worker"), progress.Plural(threads, "thread")),
				"fewer cores for Spark there (spark.executor.cores), or a lower --threads")
		}
	}
	for _, f := range e.facts {
		if f.Nodes != nil { // machines of a cluster are of a kind: one stands for all
			text += fmt.Sprintf("; %s has %s", f.Host, placing(f.Nodes, true, tasks[f.Host], threads))
			break
		}
	}
	return checkup.Okf("%s", text)
}

// judgeKernels looks for executors that lack the instruction set that a job requires.
func (e *exam) judgeKernels(context.Context) checkup.Finding {
	want := e.wanted.Kernel
	if want == "" {
		want = kernel.Best().String()
	}
	var lack []string
	for _, f := range e.facts {
		if !slices.Contains(f.Kernels, want) && !slices.Contains(lack, f.Host) {
			lack = append(lack, f.Host)
		}
	}
	if len(lack) == 0 {
		return checkup.Okf("%s on all executors%s", want, bf16Of(e.facts, kernel.BF16()))
	}
	best := "portable"
	if common := common(e.facts, func(f facts) []string { return f.Kernels }); len(common) > 0 {
		best = common[len(common)-1]
	}
	return checkup.Fail(fmt.Sprintf("%s lack %s, which this machine would have them use",
		strings.Join(few(lack), ", "), want),
		"--kernel "+best+": all executors have that")
}

// common lists the names that all executors have.
func common(all []facts, of func(facts) []string) []string {
	common := slices.Clone(of(all[0]))
	for _, f := range all {
		common = slices.DeleteFunc(common, func(k string) bool { return !slices.Contains(of(f), k) })
	}
	return common
}

// bf16Of says which kernels --precision bf16 has on all executors. own are those of the driver.
func bf16Of(all []facts, own []string) string {
	if len(own) == 0 {
		return ""
	}
	names, best := common(all, func(f facts) []string { return f.BF16 }), own[len(own)-1]
	switch {
	case slices.Contains(names, best):
		return ", and with --precision bf16 " + best
	case len(names) > 0:
		return "; --precision bf16 needs --kernel " + names[len(names)-1]
	}
	return "; they have no kernels for --precision bf16"
}

// Memory and disk space that a worker should have.
const (
	roomEach = 512 << 20
	roomDisk = 2 << 30
)

// judgeMemory checks the memory that workers have besides Spark's heap.
func (e *exam) judgeMemory(context.Context) checkup.Finding {
	heap, known := size(e.settings["spark.executor.memory"], 1)
	if !known {
		heap = 1 << 30
	}
	perExecutor := max(1, (len(e.facts)+e.executors()-1)/e.executors())
	text := fmt.Sprintf("executors have a heap of %s", progress.Bytes(heap))
	manager := e.settings["spark.master"]
	if strings.HasPrefix(manager, "yarn") || strings.HasPrefix(manager, "k8s") {
		room := overhead(e.settings, heap)
		text += fmt.Sprintf(" and %s beside it, for %s", progress.Bytes(room), progress.Plural(perExecutor, "worker"))
		if room < int64(perExecutor)*roomEach {
			return checkup.Warn(text+": the cluster kills executors that take more", fmt.Sprintf(
				"spark.executor.memoryOverhead=%dm when the Connect server is started, or more for large networks",
				int64(perExecutor)*2*roomEach>>20))
		}
		return checkup.Okf("%s", text)
	}
	tasks := make(map[string]int64)
	for _, f := range e.facts {
		tasks[f.Host]++
	}
	for _, f := range e.facts {
		room := f.Memory.Available
		if l := f.Memory.Limit; l > 0 && (room == 0 || l < room) {
			room = l
		}
		if room > 0 && room < tasks[f.Host]*roomEach {
			return checkup.Warn(text+fmt.Sprintf("; %s has %s left for %s", f.Host, progress.Bytes(room),
				progress.Plural(int(tasks[f.Host]), "worker")),
				"less spark.executor.memory, or less executors on a machine: workers' memory is beside the heap")
		}
	}
	if all := e.facts[0].Memory.All(); all > 0 {
		text += fmt.Sprintf("; %s has %s, %s of them free", e.facts[0].Host, progress.Bytes(all),
			progress.Bytes(e.facts[0].Memory.Available))
	}
	return checkup.Okf("%s", text)
}

// judgeDisk checks the free disk space for artifacts.
func (e *exam) judgeDisk(context.Context) checkup.Finding {
	least := e.facts[0]
	for _, f := range e.facts {
		if f.Free >= 0 && (least.Free < 0 || f.Free < least.Free) {
			least = f
		}
	}
	if least.Free < 0 {
		return checkup.Okf("room not known on %s", least.Host)
	}
	text := fmt.Sprintf("%s free on %s, in %s", progress.Bytes(least.Free), least.Host, least.Dir)
	if least.Free < roomDisk {
		return checkup.Warn(text,
			fmt.Sprintf("make room: dl4go's program and the parameters of up to 1,000 rounds, %s at most, lie there",
				progress.Bytes(roomDisk)))
	}
	return checkup.Okf("%s", text)
}

// apart is the allowed difference between clocks.
const apart = 5 * time.Second

// clocks compares the clocks of the server and of executors with this machine's.
func (e *exam) clocks(ctx context.Context) checkup.Finding {
	before := time.Now()
	rows, err := e.server.Query(ctx, "SELECT string(unix_micros(current_timestamp()))")
	after := time.Now()
	if err != nil {
		return failed(err, "")
	}
	var micros int64
	if len(rows) != 1 {
		return checkup.Fail("the server does not tell the time", "")
	}
	if _, err := fmt.Sscan(rows[0], &micros); err != nil {
		return failed(err, "")
	}
	worst, whose := off(time.UnixMicro(micros), before, after), "the server"
	for _, f := range e.facts {
		if d := off(time.Unix(0, f.Clock), e.asked[0], e.asked[1]); d.Abs() > worst.Abs() {
			worst, whose = d, f.Host
		}
	}
	if worst.Abs() > apart {
		return checkup.Warn(fmt.Sprintf("that of %s is %v %s this machine's", whose, worst.Abs().Round(time.Second),
			map[bool]string{true: "ahead of", false: "behind"}[worst > 0]),
			"let all machines follow a time server (NTP): certificates, the ages of runs and log lines go by the clock")
	}
	return checkup.Okf("the server's, the executors' and this machine's agree")
}

// off returns how far a clock is ahead, if it was read between two times.
func off(clock, from, to time.Time) time.Duration {
	switch {
	case clock.Before(from):
		return clock.Sub(from)
	case clock.After(to):
		return clock.Sub(to)
	}
	return 0
}

// judgeRoutes reports whether workers can ask the server if they are still wanted.
func (e *exam) judgeRoutes(context.Context) checkup.Finding {
	var lost []string
	tried := ""
	for _, f := range e.facts {
		reached := false
		for _, r := range f.Routes {
			reached = reached || r.Error == ""
			tried = r.Server
		}
		if !reached && !slices.Contains(lost, f.Host) {
			lost = append(lost, f.Host)
		}
	}
	if tried == "" {
		return checkup.Warn("workers are not told the server's address, as the token or the headers would leave this "+
			"machine in clear: "+
			"those of a job that was given up end only at its deadline",
			"give the server a name that executors reach by TLS (use_ssl=true)")
	}
	if len(lost) == 0 {
		return checkup.Okf("workers reach the server, and end soon after their job")
	}
	return checkup.Warn(fmt.Sprintf("workers on %s don't reach the Connect server (tried last: %s): those of a job "+
		"that was given up "+
		"end only at its deadline", strings.Join(few(lost), ", "), tried),
		"let executors reach the server's port; spark.connect.grpc.binding.address must not be loopback")
}
