package spark

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// sliced calls run until all partitions are done: for all at once or, if Spark refuses a result of that size, for fewer
// at a time. run marks the partitions that it has got in done; they stay done after a refusal. most is the number at a
// time; it never grows.
func sliced(done []bool, most *int, run func(need []int) error) error {
	for {
		var need []int
		for p := range done {
			if !done[p] && len(need) < *most {
				need = append(need, p)
			}
		}
		if len(need) == 0 {
			return nil
		}
		err := run(need)
		if err == nil {
			continue
		}
		if !oversized(err) {
			return err
		}
		if len(need) == 1 {
			return fmt.Errorf("partition %d alone has a larger result than the server takes; give the Connect server a higher "+
				"spark.driver.maxResultSize: %w", need[0], err)
		}
		*most = len(need) / 2
	}
}

// oversized reports whether Spark has refused a result because it has more bytes than spark.driver.maxResultSize.
func oversized(err error) bool {
	var spark *connect.Error
	return errors.As(err, &spark) && strings.Contains(spark.Error(), "is bigger than spark.driver.maxResultSize")
}
