package main

import (
	"errors"
	"strconv"
)

// frequencyFlag is --averaging-frequency: a number, or auto.
type frequencyFlag struct {
	n    *int // of the first epoch, with auto
	auto bool
}

const autoFrequency = "auto"

func (f *frequencyFlag) String() string {
	if f.auto || f.n == nil {
		return autoFrequency
	}
	return strconv.Itoa(*f.n)
}

func (f *frequencyFlag) Set(text string) error {
	f.auto = text == autoFrequency
	if f.auto {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("it is a number from 1 on, or auto")
	}
	*f.n = n
	return nil
}

func (f *frequencyFlag) Type() string { return "N" }
