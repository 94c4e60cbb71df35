package modelfile

import (
	"fmt"
	"strconv"
	"strings"
)

// Sizes reads the sizes of hidden layers: numbers with commas, or none.
func Sizes(text string) ([]int, error) {
	list := []int{}
	if strings.EqualFold(strings.TrimSpace(text), "none") {
		return list, nil
	}
	for s := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return nil, fmt.Errorf("%q is not a size; write numbers with commas, such as 64,32, or none", s)
		}
		list = append(list, n)
	}
	return list, nil
}
