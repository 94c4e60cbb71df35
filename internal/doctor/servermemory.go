package doctor

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/progress"
)

// directMemory asks for the server's memory outside of its heap, in bytes: how much it uses, and the limit. A query
// over VALUES runs in the server itself.
const directMemory = `SELECT concat(java_method('io.netty.util.internal.PlatformDependent', 'usedDirectMemory'), ' ',
	java_method('io.netty.util.internal.PlatformDependent', 'maxDirectMemory')) FROM VALUES (1)`

// judgeDirect checks the rest of the server's direct memory, which receives the rows from drivers. Spark 4.0.0 to
// 4.1.3 lose some of it with each relation that a client sends, unless the relation ends like dl4go's.
func (e *exam) judgeDirect(ctx context.Context) checkup.Finding {
	var used, most int64
	rows, err := e.server.Query(ctx, directMemory)
	if err == nil && len(rows) == 1 {
		_, err = fmt.Sscan(rows[0], &used, &most)
	}
	if err != nil || used < 0 || most <= 0 {
		return checkup.Okf("the Connect server does not tell its direct memory")
	}
	text := fmt.Sprintf("the Connect server holds %s of direct memory, of at most %s", progress.Bytes(used),
		progress.Bytes(most))
	if used > most/2 {
		return checkup.Warn(text+": it fails with OutOfDirectMemoryError when that is used up",
			"restart the Connect server; if other clients send it rows, use Spark 4.1.4 or newer, or more spark.driver.memory, "+
				"or spark.driver.extraJavaOptions=-XX:MaxDirectMemorySize=4g")
	}
	return checkup.Okf("%s", text)
}
