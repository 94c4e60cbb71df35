package doctor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/local"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/deploy"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// fake is a healthy cluster, with a test's changes.
type fake struct {
	refuses  error // the error of connecting
	version  string
	settings map[string]string
	stubborn bool             // settings can't be changed
	fails    map[string]error // by a part of the SQL, or "artifacts", "survey", "engine"
	slots    int
	clock    time.Duration // how far the server's clock is ahead
	direct   string        // its direct memory
	facts    []facts
	asked    []request
	engine   func() engine.Engine
}

func healthy() *fake {
	f := &fake{version: "4.1.4", slots: 2, direct: "500000000 1000000000", fails: make(map[string]error),
		settings: map[string]string{"spark.master": "spark://m:7077", "spark.executor.memory": "1g",
			"spark.sql.warehouse.dir": "hdfs://n/w"},
		engine: func() engine.Engine { return local.New(2, engine.Options{Log: quiet}) }}
	var all []string
	for _, v := range kernel.Available() {
		all = append(all, v.String())
	}
	for i := range 2 {
		f.facts = append(f.facts, facts{Host: fmt.Sprint("host", i), Executor: i, Platform: "linux/amd64", Cores: 4,
			Kernels: all, Dir: "/work", Free: 9 << 30,
			Memory: checkup.Memory{Total: 8 << 30, Available: 6 << 30},
			Routes: []route{{"s:15002", "refused"}, {"d:15002", ""}}})
	}
	return f
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func (f *fake) Version() string { return f.version }

func (f *fake) Get(_ context.Context, keys ...string) (map[string]string, error) {
	got := make(map[string]string)
	for _, key := range keys {
		if v, ok := f.settings[key]; ok {
			got[key] = v
		}
	}
	return got, nil
}

func (f *fake) Set(_ context.Context, s map[string]string) error {
	if !f.stubborn {
		maps.Copy(f.settings, s)
	}
	return f.fails["settings"]
}

func (f *fake) AddArtifacts(context.Context, ...connect.Artifact) error { return f.fails["artifacts"] }

func (f *fake) Command(_ context.Context, sql string) error { return f.failure(sql) }

func (f *fake) failure(sql string) error {
	for part, err := range f.fails {
		if strings.Contains(sql, part) {
			return err
		}
	}
	return nil
}

func (f *fake) Query(ctx context.Context, sql string) ([]string, error) {
	if err := f.failure(sql); err != nil {
		return nil, err
	}
	switch {
	case strings.Contains(sql, "USING 'cat'"):
		return []string{"0"}, nil
	case strings.Contains(sql, "USING 'the command'"):
		_, text, _ := strings.Cut(sql, "(SELECT '")
		text, _, _ = strings.Cut(text, "'")
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		var r request
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, err
		}
		f.asked = append(f.asked, r)
		var lines []string
		for _, fact := range f.facts {
			fact.Clock += time.Now().UnixNano()
			b, err := json.Marshal(fact)
			if err != nil {
				return nil, err
			}
			lines = append(lines, base64.StdEncoding.EncodeToString(b))
		}
		return lines, nil
	case sql == directMemory:
		return []string{f.direct}, nil
	case strings.Contains(sql, "current_timestamp"):
		return []string{fmt.Sprint(time.Now().Add(f.clock).UnixMicro())}, nil
	}
	return []string{"x"}, nil
}

func (f *fake) Survey(context.Context, engine.Options, time.Duration) (int, string, error) {
	return f.slots, "the command", f.fails["survey"]
}

func (f *fake) Routes(context.Context) ([]string, error) { return []string{"s:15002", "d:15002"}, nil }

func (f *fake) Close(context.Context) error { return nil }

func (f *fake) exam(want Options) *exam {
	e := &exam{wanted: want, options: engine.Options{Log: quiet}.WithDefaults(),
		address: connect.Address{Host: "localhost", Port: 15002}}
	e.open = func(context.Context) (server, error) { return f, f.refuses }
	e.start = func(context.Context) (engine.Engine, error) { return f.engine(), f.fails["engine"] }
	return e
}

func (f *fake) examine(t *testing.T, want Options) []checkup.Finding {
	t.Helper()
	e := f.exam(want)
	defer e.close()
	var all []checkup.Finding
	checkup.Run(t.Context(), e.checks(), func(f checkup.Finding) { all = append(all, f) })
	return all
}

func TestHealthy(t *testing.T) {
	f := healthy()
	dir := t.TempDir()
	all := f.examine(t, Options{Workers: 2, Dir: dir})
	for _, finding := range all {
		if finding.Level != checkup.OK || finding.Text == "" || finding.Fix != "" {
			t.Errorf("%+v", finding)
		}
	}
	if len(all) != 19 {
		t.Errorf("%d findings: %v", len(all), all)
	}
	if len(f.asked) != 1 || !slices.Equal(f.asked[0].Routes, []string{"s:15002", "d:15002"}) {
		t.Errorf("workers were asked %v", f.asked)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestFindings(t *testing.T) {
	refused := errors.New("[UNSUPPORTED_FEATURE.TRANSFORM_NON_HIVE] no scripts here")
	cause := &connect.Error{Message: "Subprocess exited with status 126. Error: noise\n" +
		`dl4go-error {"partition":0,"step":"start of the worker","cause":"host0 (Linux x86_64) can't run the worker program /x: Permission denied"}` + "\n"}
	for name, c := range map[string]struct {
		change    func(*fake)
		want      Options
		check     string
		level     checkup.Level
		text, fix string
		skips     string // the first check that is skipped because of it
	}{
		"no server": {func(f *fake) { f.refuses = errors.New("is a Spark Connect server running there?") }, Options{},
			"connection", checkup.Failure,
			"running there", "15002", "version"},
		"an old server": {func(f *fake) { f.version = "3.4.1" }, Options{}, "version", checkup.Failure,
			"Spark 3.4.1 is too old", "3.5 at least", ""},
		"Spark 3.5": {func(f *fake) { f.version = "3.5.7" }, Options{}, "version", checkup.Warning,
			"no progress", "Spark 4", ""},
		"Spark 5": {func(f *fake) { f.version = "5.0.0-preview1" }, Options{}, "version",
			checkup.Warning, "newer", "", ""},
		"another version": {func(f *fake) { f.version = "dbr" }, Options{}, "version", checkup.Warning, `"dbr"`, "", ""},
		"no artifacts": {func(f *fake) { f.fails["artifacts"] = errors.New("PERMISSION_DENIED") }, Options{},
			"artifacts", checkup.Failure, "PERMISSION_DENIED", "must be allowed to add artifacts", "workers"},
		"no views": {func(f *fake) { f.fails["CREATE GLOBAL"] = errors.New("denied") }, Options{}, "views",
			checkup.Failure, "denied", "global temporary views", "job"},
		"no TRANSFORM": {func(f *fake) { f.fails["USING 'cat'"] = refused }, Options{}, "transform", checkup.Failure,
			"no scripts here", "TRANSFORM … USING must be allowed", "workers"},
		"no bash": {func(f *fake) { f.fails["USING 'cat'"] = errors.New(`Cannot run program "/bin/bash"`) },
			Options{}, "transform", checkup.Failure, "/bin/bash", "install bash", "workers"},
		"no slot": {func(f *fake) { f.fails["USING 'cat'"] = &connect.Error{Code: codes.DeadlineExceeded} },
			Options{}, "transform", checkup.Failure, "no task ran within 2m", "free a slot", "workers"},
		"settings stay": {func(f *fake) { f.stubborn = true }, Options{}, "settings", checkup.Failure,
			"adaptive.enabled can't be switched off", "", ""},
		"settings refused": {func(f *fake) { f.fails["settings"] = errors.New("denied") }, Options{}, "settings",
			checkup.Failure, "denied", "change", ""},
		"dynamic": {func(f *fake) { f.settings["spark.dynamicAllocation.enabled"] = "true" }, Options{}, "settings",
			checkup.Warning, "spark.dynamicAllocation.enabled is true", "minExecutors", ""},
		"small messages": {func(f *fake) { f.settings["spark.connect.grpc.maxInboundMessageSize"] = "4m" }, Options{},
			"settings", checkup.Warning, "is 4m", "128 MiB", ""},
		"impatient": {func(f *fake) { f.settings["spark.connect.execute.manager.detachedTimeout"] = "10s" }, Options{},
			"settings", checkup.Warning, "is 10s", "5 min", ""},
		"files left out": {func(f *fake) { f.settings["spark.files.ignoreCorruptFiles"] = "true" }, Options{}, "settings",
			checkup.Warning, "left out", "switch it off", ""},
		"small results": {func(f *fake) { f.settings["spark.driver.maxResultSize"] = "100m" }, Options{}, "settings",
			checkup.Warning, "100m", "1g", ""},
		"one failure": {func(f *fake) { f.settings["spark.task.maxFailures"] = "1" }, Options{}, "settings",
			checkup.Warning, "is 1", "leave it at 4", ""},
		"speculation": {func(f *fake) { f.settings["spark.speculation"] = "true" }, Options{}, "settings",
			checkup.Warning, "twice", "", ""},
		"other machines": {func(f *fake) {
			f.fails["survey"] = &deploy.PlatformError{Platform: deploy.Platform{OS: "linux", Arch: "arm64"},
				Machine: "Linux-aarch64", Host: "host0",
				Reason: errors.New("no toolchain")}
		}, Options{}, "workers", checkup.Failure, "executor host0 is another kind of machine (Linux aarch64)",
			"GOOS=linux GOARCH=arm64 go build", "slots"},
		"noexec": {func(f *fake) { f.fails["USING 'the command'"] = cause }, Options{}, "workers",
			checkup.Failure, "host0 (Linux x86_64) can't run the worker program /x: Permission denied", "", "slots"},
		"an old C library": {func(f *fake) { f.fails["USING 'the command'"] = errors.New("version `GLIBC_2.34' not found") },
			Options{}, "workers", checkup.Failure, "not found", "CGO_ENABLED=0", "slots"},
		"two kinds": {func(f *fake) { f.facts[1].Platform = "linux/arm64" }, Options{}, "workers", checkup.Warning,
			"host0, host1 (linux/amd64, linux/arm64)", "last bits", ""},
		"direct memory": {func(f *fake) { f.direct = "500000001 1000000000" }, Options{}, "server", checkup.Warning,
			"holds 500.0 MB of direct memory, of at most 1.0 GB", "restart the Connect server", ""},
		"unknown memory": {func(f *fake) { f.direct = "-1 -1" }, Options{}, "server", checkup.OK, "does not tell", "", ""},
		"no java_method": {func(f *fake) { f.fails["java_method"] = refused }, Options{}, "server", checkup.OK,
			"does not tell", "", ""},
		"no worker": {func(f *fake) { f.facts = nil }, Options{}, "workers", checkup.Failure,
			"no worker answered", "", "slots"},
		"too few slots": {func(*fake) {}, Options{Workers: 3}, "slots", checkup.Warning,
			"2 tasks at a time, and 3 workers are wanted", "spark.executor.instances", ""},
		"few cores": {func(f *fake) { f.facts[1].Cores = 0 }, Options{}, "slots", checkup.Warning,
			"host1 has 0 cores for 1 worker", "--threads", ""},
		"two sockets": {func(f *fake) {
			f.facts[1].Nodes = []numa.Node{{Number: 0, Processors: []int{0, 1}}, {Number: 1, Processors: []int{2, 3}}}
		}, Options{}, "slots", checkup.OK, "host1 has 2 NUMA nodes: node 0 (processors 0-1), node 1 (processors 2-3); each " +
			"worker stays on one", "", ""},
		"another kernel": {func(f *fake) { f.facts[1].Kernels = []string{"portable"} }, Options{Kernel: "avx2"},
			"kernels", checkup.Failure, "host1 lack avx2", "--kernel portable", ""},
		"memory on YARN": {func(f *fake) { f.settings["spark.master"] = "yarn" }, Options{}, "memory", checkup.Warning,
			"402.7 MB beside it, for 1 worker", "spark.executor.memoryOverhead=1024m", ""},
		"enough on YARN": {func(f *fake) {
			f.settings["spark.master"], f.settings["spark.executor.memoryOverhead"] = "yarn",
				"2g"
		}, Options{}, "memory", checkup.OK, "2.1 GB beside it", "", ""},
		"memory": {func(f *fake) { f.facts[0].Memory.Available = 100 << 20 }, Options{}, "memory",
			checkup.Warning, "host0 has 104.9 MB left", "beside the heap", ""},
		"a full disk": {func(f *fake) { f.facts[1].Free = 1 << 20 }, Options{}, "disk", checkup.Warning,
			"1.0 MB free on host1, in /work", "make room", ""},
		"an unknown disk": {func(f *fake) { f.facts[0].Free, f.facts[1].Free = -1, -1 }, Options{}, "disk", checkup.OK,
			"not known", "", ""},
		"server's clock": {func(f *fake) { f.clock = time.Hour }, Options{}, "clocks", checkup.Warning,
			"that of the server is 1h0m0s ahead of this machine's", "NTP", ""},
		"executors' clock": {func(f *fake) { f.facts[1].Clock = -int64(time.Minute) }, Options{}, "clocks",
			checkup.Warning, "that of host1 is 1m0s behind", "NTP", ""},
		"no way back": {func(f *fake) { f.facts[1].Routes = []route{{"s:15002", "refused"}} }, Options{}, "lease",
			checkup.Warning, "workers on host1 don't reach the Connect server (tried last: s:15002)", "binding.address", ""},
		"no engine": {func(f *fake) { f.fails["engine"] = errors.New("it does not start") }, Options{}, "job",
			checkup.Failure, "it does not start", "", "persistence"},
		"no directory": {func(*fake) {}, Options{Dir: "/dev/null/x"}, "directory", checkup.Failure, "/dev/null",
			"write there", ""},
		"a local warehouse": {func(f *fake) { f.settings["spark.sql.warehouse.dir"] = "file:/w" }, Options{}, "tables",
			checkup.Warning, "file:/w, which is each machine's own disk", "hdfs://", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := healthy()
			c.change(f)
			var all []checkup.Finding
			synctest.Test(t, func(t *testing.T) { all = f.examine(t, c.want) }) // no time passes between two clocks
			found, skipped := false, ""
			for _, got := range all {
				switch {
				case got.Check == c.check:
					found = true
					if got.Level != c.level || !strings.Contains(got.Text, c.text) || !strings.Contains(got.Fix+got.Text, c.fix) {
						t.Errorf("%+v", got)
					}
				case got.Level == checkup.Skipped && skipped == "":
					skipped = got.Check
				case got.Level != checkup.OK && got.Level != checkup.Skipped:
					t.Errorf("%+v", got)
				}
			}
			if !found || skipped != c.skips {
				t.Errorf("skipped first is %q; found %+v", skipped, all)
			}
		})
	}
}

func TestTell(t *testing.T) {
	b, _ := json.Marshal(request{Routes: []string{"127.0.0.1:1"}})
	var out strings.Builder
	before := time.Now().UnixNano()
	if err := tell(strings.NewReader(base64.StdEncoding.EncodeToString(b)+"\nmore\n"), &out); err != nil {
		t.Fatal(err)
	}
	var f facts
	if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(out.String())); err != nil ||
		json.Unmarshal(b, &f) != nil {
		t.Fatalf("told %q", out.String())
	}
	host, _ := os.Hostname()
	if f.Host != host || f.Cores < 1 || len(f.Kernels) < 1 || f.Clock < before || f.Clock > time.Now().UnixNano() ||
		len(f.Routes) != 1 ||
		!strings.Contains(f.Routes[0].Error, "refused") {
		t.Errorf("%+v", f)
	}
	if err := tell(strings.NewReader("nonsense"), io.Discard); err == nil {
		t.Error("nonsense was understood")
	}
}

func TestSizes(t *testing.T) {
	for s, want := range map[string]int64{"768m": 768 << 20, "1g": 1 << 30, "134217728b": 134217728, "2": 2 << 20,
		"1GB": 1 << 30, "5kib": 5 << 10,
		"1t": 1 << 40} {
		if got, ok := size(s, 1<<20); got != want || !ok {
			t.Errorf("%s is %d, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "m", "x", "1.5g"} {
		if got, ok := size(s, 1); ok {
			t.Errorf("%q is %d", s, got)
		}
	}
	for s, want := range map[string]time.Duration{"300000ms": 5 * time.Minute, "5min": 5 * time.Minute,
		"10": 10 * time.Millisecond, "1h": time.Hour} {
		if got, ok := span(s); got != want || !ok {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
	for want, s := range map[int64]map[string]string{384 << 20: {}, 1 << 30: {"spark.executor.memoryOverhead": "1g"},
		2 << 30:    {"spark.executor.memoryOverheadFactor": "0.5"},
		1600 << 20: {"spark.kubernetes.memoryOverheadFactor": "0.390625"}} {
		if got := overhead(s, 4<<30); got != want && !(want == 384<<20 && got == 4<<30/10) {
			t.Errorf("%v: %d", s, got)
		}
	}
}

// TestKernelsOfBF16: --precision bf16 uses the driver's best kernels, which all executors need.
func TestKernelsOfBF16(t *testing.T) {
	both := []string{"avx512", "amx"}
	for _, c := range []struct {
		own, first, second []string
		want               string
	}{
		{nil, both, both, ""},
		{both, both, both, ", and with --precision bf16 amx"},
		{both[:1], both, both, ", and with --precision bf16 avx512"},
		{both, both, both[:1], "; --precision bf16 needs --kernel avx512"},
		{both, nil, both, "; they have no kernels for --precision bf16"},
	} {
		if got := bf16Of([]facts{{BF16: c.first}, {BF16: c.second}}, c.own); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
