package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// unique returns a unique name.
func unique() string { return fmt.Sprintf("dl4go_doctor_%d", time.Now().UnixNano()) }

// artifacts sends a small file.
func (e *exam) artifacts(ctx context.Context) checkup.Finding {
	name := unique()
	if err := e.server.AddArtifacts(ctx, connect.ArtifactBytes("files/"+name, []byte(name))); err != nil {
		return failed(err,
			"sessions must be allowed to add artifacts (files), which is how dl4go's program reaches the executors; a proxy "+
				"before the server must let streams of a client's through; the server's disk needs room for them")
	}
	return checkup.Okf("allowed")
}

// views makes a view.
func (e *exam) views(ctx context.Context) checkup.Finding {
	name := unique()
	err := e.server.Command(ctx, "CREATE GLOBAL TEMPORARY VIEW "+name+" AS SELECT 'x' AS x")
	if err == nil {
		_, err = e.server.Query(ctx, "SELECT x FROM global_temp."+name)
		err = errors.Join(err, e.server.Command(ctx, "DROP VIEW IF EXISTS global_temp."+name))
	}
	if ctx.Err() != nil {
		return checkup.Fail(fmt.Sprintf("no answer within %v", slotWait),
			"the server is busy, or its machine is too small: look at its load and its log")
	}
	if err != nil {
		return failed(err,
			"the user must be allowed to make global temporary views, which is how dl4go's sessions share data")
	}
	return checkup.Okf("allowed")
}

// transform runs a system command in a task.
func (e *exam) transform(ctx context.Context) checkup.Finding {
	begin := time.Now()
	rows, err := e.server.Query(ctx, "SELECT TRANSFORM(id) USING 'cat' AS (id STRING) FROM range(0, 1)")
	var answer *connect.Error
	switch {
	case err == nil && (len(rows) != 1 || rows[0] != "0"):
		return checkup.Fail(fmt.Sprintf("cat, in a task, gave back %q instead of 0", rows), "")
	case err == nil:
		return checkup.Okf("allowed; the first task took %v", time.Since(begin).Round(10*time.Millisecond))
	case ctx.Err() != nil || errors.As(err, &answer) && answer.Code == codes.DeadlineExceeded:
		return checkup.Fail(fmt.Sprintf("no task ran within %v", slotWait),
			"free a slot, or start executors: the cluster's own page says "+
				"who holds them, and why executors don't start (too few cores or too little memory for spark.executor.cores and "+
				"spark.executor.memory)")
	case strings.Contains(err.Error(), `Cannot run program "/bin/bash"`):
		return failed(err, "install bash where executors run: Spark runs TRANSFORM's commands by it")
	}
	return failed(err,
		"SQL's TRANSFORM … USING must be allowed, as it is how dl4go's program runs in Spark's tasks: an extension "+
			"of Spark that governs access (spark.sql.extensions), or a shared mode of a hosted cluster, may forbid it; a "+
			"cluster "+
			"dedicated to its users allows it")
}
