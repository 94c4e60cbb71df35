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

// Shapes reads the shapes of examples, a text for each input: sizes with commas, −1 or ? for an open length.
func Shapes(texts []string) (shapes [][]int, err error) {
	for _, text := range texts {
		var shape []int
		for s := range strings.SplitSeq(text, ",") {
			s = strings.TrimSpace(s)
			if s == "?" {
				s = "-1"
			}
			n, err := strconv.Atoi(s)
			if err != nil || n == 0 || n < -1 {
				return nil, fmt.Errorf("%q is not a shape; write sizes with commas, such as 3,32,32, and ? for an open length", text)
			}
			shape = append(shape, n)
		}
		shapes = append(shapes, shape)
	}
	return shapes, nil
}
