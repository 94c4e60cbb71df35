package distributed

import (
	"errors"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/local"
	"github.com/dl4go/dl4go/tensor"
)

// wide is a table that fits no machine's memory.
type wide struct{}

func (wide) Info() source.Info {
	return source.Info{Name: "wide", Examples: 1e9, Features: []tensor.Shape{{1e9}}}
}
func (wide) Objects() int { return 1e9 }
func (wide) Object(int) (*data.MultiDataSet, error) {
	return nil, errors.New("it is read")
}

// TestTableBeyondMemory checks that a table whose dense rows don't fit in the machine's memory is refused before it is
// read.
func TestTableBeyondMemory(t *testing.T) {
	if checkup.ReadMemory().Available == 0 {
		return // the machine's memory is not known
	}
	e := local.New(1, engine.Options{})
	defer e.Close()
	_, err := FromSource(e, wide{}, 1)
	if err == nil || !strings.Contains(err.Error(), "wide: 1000000000 examples, as dense rows of 4000000000 bytes: ") ||
		!strings.Contains(err.Error(), "GB free") {
		t.Error(err)
	}
}
