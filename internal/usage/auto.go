package usage

import (
	"errors"
	"strconv"
)

// Auto is a flag's value: a number from 1 on, or auto.
type Auto struct {
	N    *int // the number; it stays as it is with auto
	Auto bool
}

const auto = "auto"

func (f *Auto) String() string {
	if f.Auto || f.N == nil {
		return auto
	}
	return strconv.Itoa(*f.N)
}

// Set reads the value.
func (f *Auto) Set(text string) error {
	f.Auto = text == auto
	if f.Auto {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("it is a number from 1 on, or auto")
	}
	*f.N = n
	return nil
}

// Type is the name of the value.
func (f *Auto) Type() string { return "N" }
