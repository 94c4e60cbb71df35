package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/checkup"
)

// settingNames are the settings that the examination reads.
var settingNames = []string{"spark.master", "spark.default.parallelism", "spark.executor.memory",
	"spark.executor.memoryOverhead",
	"spark.executor.memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor",
	"spark.executor.cores", "spark.task.cpus",
	"spark.dynamicAllocation.enabled", "spark.dynamicAllocation.minExecutors", "spark.speculation",
	"spark.task.maxFailures",
	"spark.driver.maxResultSize", "spark.connect.grpc.maxInboundMessageSize",
	"spark.connect.execute.manager.detachedTimeout",
	"spark.files.ignoreCorruptFiles", "spark.files.ignoreMissingFiles", "spark.sql.warehouse.dir"}

// judgeSettings reports settings of the server that harm dl4go, and changes those that it must change.
func (e *exam) judgeSettings(ctx context.Context) []checkup.Finding {
	own := map[string]string{"spark.sql.adaptive.enabled": "false",
		"spark.sql.scriptTransformation.exitTimeoutInSeconds": "10"}
	if err := e.server.Set(ctx, own); err != nil {
		return []checkup.Finding{failed(err, "sessions must be allowed to change spark.sql settings of their own")}
	}
	got, err := e.server.Get(ctx, "spark.sql.adaptive.enabled")
	if err != nil {
		return []checkup.Finding{failed(err, "")}
	}
	var all []checkup.Finding
	if got["spark.sql.adaptive.enabled"] != "false" {
		all = append(all,
			checkup.Fail("spark.sql.adaptive.enabled can't be switched off: Spark would merge and split partitions",
				"let sessions change it"))
	}
	if all = append(all, badSettings(e.settings)...); len(all) == 0 {
		manager, _, _ := strings.Cut(e.settings["spark.master"], "[")
		all = append(all, checkup.Okf("nothing in the way (spark.master is %s)", manager))
	}
	return all
}

// badSettings reports problems with the settings from the server's start.
func badSettings(s map[string]string) (all []checkup.Finding) {
	warn := func(name, text, fix string) {
		all = append(all, checkup.Warn(fmt.Sprintf("%s is %s: %s", name, s[name], text),
			fix+", when the Connect server is started"))
	}
	if name := "spark.dynamicAllocation.enabled"; s[name] == "true" {
		warn(name, "dl4go makes as many partitions as there are slots when it begins, and executors that are taken away "+
			"take their cached "+
			"examples with them", "set spark.dynamicAllocation.minExecutors to as many as training needs")
	}
	if name := "spark.speculation"; s[name] == "true" {
		warn(name, "slow tasks run twice, which changes no result, and takes slots", "switch it off")
	}
	if name := "spark.task.maxFailures"; s[name] != "" {
		if n, err := strconv.Atoi(s[name]); err == nil && n < 4 {
			warn(name, "few workers may be lost until a job fails", "leave it at 4")
		}
	}
	if name := "spark.driver.maxResultSize"; s[name] != "" {
		if n, ok := size(s[name], 1); ok && n > 0 && n < 256<<20 {
			warn(name, "the parameters of large networks don't fit", "leave it at 1g")
		}
	}
	if name := "spark.connect.grpc.maxInboundMessageSize"; s[name] != "" {
		if n, ok := size(s[name], 1); ok && n < 16<<20 {
			warn(name, "queries about many files or partitions don't fit", "leave it at 128 MiB")
		}
	}
	if name := "spark.connect.execute.manager.detachedTimeout"; s[name] != "" {
		if d, ok := span(s[name]); ok && d < time.Minute {
			warn(name, "a query is given up when its connection breaks for so long", "leave it at 5 min")
		}
	}
	// Every session sets those of spark.sql.files itself.
	for _, name := range []string{"spark.files.ignoreCorruptFiles", "spark.files.ignoreMissingFiles"} {
		if s[name] == "true" {
			warn(name, "data that can't be read is left out without a word", "switch it off")
		}
	}
	return all
}

// overhead returns the memory that an executor has besides its heap, on YARN and Kubernetes.
func overhead(s map[string]string, heap int64) int64 {
	if n, ok := size(s["spark.executor.memoryOverhead"], 1<<20); ok {
		return n
	}
	factor := 0.1
	for _, name := range []string{"spark.kubernetes.memoryOverheadFactor", "spark.executor.memoryOverheadFactor"} {
		if f, err := strconv.ParseFloat(s[name], 64); err == nil {
			factor = f
		}
	}
	return max(384<<20, int64(float64(heap)*factor))
}

// size parses a size in Spark's format: 768m, 1g, 134217728b. Plain numbers are in the given unit.
func size(s string, unit int64) (int64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	digits := strings.TrimRight(s, "bkmgtpi")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false
	}
	if suffix := strings.TrimSuffix(strings.TrimSuffix(s[len(digits):], "b"), "i"); suffix != "" {
		unit = 1 << (10 * (1 + strings.Index("kmgtp", suffix)))
	} else if s != digits { // the suffix b
		unit = 1
	}
	return n * unit, true
}

// span parses a time in Spark's format: 300000ms, 5min.
func span(s string) (time.Duration, bool) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit, ok := map[string]time.Duration{"": time.Millisecond, "us": time.Microsecond,
		"ms": time.Millisecond, "s": time.Second,
		"m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[s[len(digits):]]
	return time.Duration(n) * unit, err == nil && ok
}

// warehouse reports a problem with the place of tables: a local disk is different on each machine.
func warehouse(dir string, hosts int) string {
	if hosts > 1 && (strings.HasPrefix(dir, "file:") || strings.HasPrefix(dir, "/")) {
		return "spark.sql.warehouse.dir is " + dir + ", which is each machine's own disk"
	}
	return ""
}
