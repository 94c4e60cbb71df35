//go:build !linux

package process_test

import (
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/faulttest"
)

func TestMain(m *testing.M) {
	faulttest.Main()
	os.Exit(m.Run())
}
