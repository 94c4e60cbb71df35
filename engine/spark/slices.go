package spark

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// sliced calls run for the partitions that are not done, which it marks as it gets them: for all at once or, where
// Spark refuses a result of that size, for fewer at a time. What came before it refused stays. most is how many at
// a time; it never grows.
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

// oversized says whether Spark has given a query up because its result has more bytes than spark.driver.maxResultSize.
func oversized(err error) bool {
	var spark *connect.Error
	return errors.As(err, &spark) && strings.Contains(spark.Error(), "is bigger than spark.driver.maxResultSize")
}
