//go:build spark

package external

import (
	"os"
	"testing"

	_ "github.com/dl4go/dl4go" // sc://HOST
)

// TestSpark: executors, to which this test's program is sent, train the same network.
func TestSpark(t *testing.T) {
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags spark")
	}
	same(t, master)
	sameFiles(t, master)
}
