package main

import (
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/train"
)

// stoppingFlag is --early-stopping or --pretrain-stopping.
type stoppingFlag struct {
	name     string
	settings string
	stopping *train.Stopping // nil if the flag is not given
}

func (f *stoppingFlag) add(fs *pflag.FlagSet, name, usage string) {
	f.name = name
	fs.StringVar(&f.settings, name, "", usage)
}

// read reads the settings.
func (f *stoppingFlag) read(parse func(string) (train.Stopping, error)) error {
	if f.settings == "" {
		return nil
	}
	s, err := parse(f.settings)
	if err != nil {
		return usagef("--%s: %w", f.name, err)
	}
	f.stopping = &s
	return nil
}
