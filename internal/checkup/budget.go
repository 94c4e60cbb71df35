package checkup

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// unknown is the assumed memory of a machine whose memory can't be read.
const unknown = 4 << 30

// Budget reads how much memory a run may take: a number of bytes with or without a unit, such as 500MB, 1.5GB or 2GiB.
// An empty text is three quarters of the memory of the machine, or of its container.
func Budget(text string) (int64, error) {
	if text == "" {
		all := ReadMemory().All()
		if all == 0 {
			all = unknown
		}
		return all / 4 * 3, nil
	}
	number, unit := text, 1.0
	for _, u := range []struct {
		name string
		size float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6},
		{"GB", 1e9}, {"TB", 1e12}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}} {
		if cut, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(cut), u.size
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) || x*unit >= math.MaxInt64 {
		return 0, errors.New("this is not a size; write it like 500MB or 2GiB")
	}
	if x*unit < 1 {
		return 0, fmt.Errorf("%g bytes are less than one", x*unit)
	}
	return int64(x * unit), nil
}
