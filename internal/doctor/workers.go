package doctor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/worker"
)

// workers starts one worker in each slot, which reports facts about its machine.
func (e *exam) workers(ctx context.Context) checkup.Finding {
	slots, command, err := e.server.Survey(ctx, e.options, slotWait)
	if err != nil {
		return failed(err, "") // the error has the advice
	}
	e.slots = slots
	var r request
	if r.Routes, err = e.server.Routes(ctx); err != nil {
		return failed(err, "")
	}
	b, err := json.Marshal(r)
	if err != nil {
		return failed(err, "")
	}
	e.asked[0] = time.Now()
	lines, err := e.server.Query(ctx, "SELECT TRANSFORM(r) USING '"+command+
		"' AS (line STRING) FROM (SELECT '"+
		base64.StdEncoding.EncodeToString(b)+"' AS r FROM range(0, 1024))")
	e.asked[1] = time.Now()
	if err != nil {
		if f, ok := worker.ParseCause(err.Error()); ok {
			return checkup.Fail(f.Cause, "")
		}
		fix := ""
		if strings.Contains(err.Error(), "GLIBC") {
			fix = "this dl4go is linked to its machine's C library, and the executors' is older: build it with CGO_ENABLED=0"
		}
		return failed(err, fix)
	}
	e.facts = nil
	for _, line := range lines {
		var f facts
		b, err := base64.StdEncoding.DecodeString(line)
		if err == nil {
			err = json.Unmarshal(b, &f)
		}
		if err != nil {
			return checkup.Fail(fmt.Sprintf("a worker's answer is damaged: %q: %v", line, err), "")
		}
		e.facts = append(e.facts, f)
	}
	if len(e.facts) == 0 {
		return checkup.Fail("no worker answered", "")
	}
	hosts, kinds := e.hosts(), e.platforms()
	text := fmt.Sprintf("dl4go runs on %s of %s: %s (%s)", progress.Plural(e.executors(), "executor"),
		progress.Plural(len(hosts), "host"),
		strings.Join(few(hosts), ", "), strings.Join(kinds, ", "))
	if len(kinds) > 1 {
		return checkup.Warn(text,
			"the last bits of results may depend on where a task runs: executors of one kind give the same bits each time")
	}
	return checkup.Okf("%s", text)
}

// hosts returns the hosts of the executors, sorted.
func (e *exam) hosts() []string {
	hosts := make(map[string]bool)
	for _, f := range e.facts {
		hosts[f.Host] = true
	}
	return slices.Sorted(maps.Keys(hosts))
}

// platforms returns the platforms of the executors, sorted.
func (e *exam) platforms() []string {
	kinds := make(map[string]bool)
	for _, f := range e.facts {
		kinds[f.Platform] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

func (e *exam) executors() int {
	type executor struct {
		host string
		pid  int
	}
	all := make(map[executor]bool)
	for _, f := range e.facts {
		all[executor{f.Host, f.Executor}] = true
	}
	return len(all)
}

// few returns the first elements of a long list.
func few(list []string) []string {
	const most = 8
	if len(list) > most {
		return append(list[:most:most], fmt.Sprintf("… %d more", len(list)-most))
	}
	return list
}
