package modelfile

import (
	"fmt"
	"strconv"
	"strings"
)

// Sizes reads the sizes of hidden layers: numbers separated by commas, or none.
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

// Shapes are the shapes of examples: a flag's value for each input.
type Shapes [][]int

// Set adds a shape: sizes separated by commas, with −1 or ? for an open length.
func (s *Shapes) Set(text string) error {
	var shape []int
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "?" {
			part = "-1"
		}
		n, err := strconv.Atoi(part)
		if err != nil || n == 0 || n < -1 {
			return fmt.Errorf("%q is not a shape; write sizes with commas, such as 3,32,32, and ? for an open length", text)
		}
		shape = append(shape, n)
	}
	*s = append(*s, shape)
	return nil
}

// String returns the shapes.
func (s *Shapes) String() string { return fmt.Sprint([][]int(*s)) }

// Type names the value in help texts.
func (s *Shapes) Type() string { return "sizes" }
