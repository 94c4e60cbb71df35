package main

import (
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/usage"
)

// reachFlags are the flags about the coordinator of workers that stay.
var reachFlags = []string{"network-mask", "controller-address", "unicast-port", "coordinator"}

// addNetwork adds these flags.
func addNetwork(fs *pflag.FlagSet, n *distributed.Residents) {
	fs.StringVar(&n.Mask, "network-mask", "", "`NETWORK` use the interface in NETWORK, as 10.0.0.0/8")
	fs.StringVar(&n.Address, "controller-address", "", "`HOST` HOST[:PORT] where workers reach the driver")
	fs.IntVar(&n.Port, "unicast-port", 0, "`PORT` port of the driver (default: a free one)")
	fs.StringVar(&n.Coordinator, "coordinator", "", "`FILE` credentials of a dl4go coordinator")
}

// residentFlags are the flags of dl4go train about workers that stay.
type residentFlags struct {
	network distributed.Residents
	mesh    string
	rounds  string
}

// residentOnly lists these flags, without rounds.
var residentOnly = append([]string{"mesh"}, reachFlags...)

func (f *residentFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.rounds, "rounds", "", "`HOW` jobs, or resident (default, if reachable)")
	fs.StringVar(&f.mesh, "mesh", "plain", "`MODE` route of updates: plain or mesh")
	addNetwork(fs, &f.network)
}

// check refuses invalid combinations.
func (f *residentFlags) check(training string, given func(string) bool) (err error) {
	with := ""
	switch {
	case training == byPlain:
		with = "--training plain"
	case training == byAveraging && f.rounds == string(paramavg.Jobs):
		with = "--rounds jobs"
	}
	if with != "" {
		if err := usage.NoEffect(given, "resident workers", with, residentOnly...); err != nil {
			return err
		}
	}
	if f.rounds != "" {
		if _, err = usage.Choose("rounds", f.rounds, paramavg.Jobs, paramavg.Resident); err != nil {
			return err
		}
	}
	mesh, err := usage.Choose("mesh", f.mesh, "plain", "mesh")
	if err != nil {
		return err
	}
	f.network.Mesh = mesh == "mesh"
	if given("coordinator") && given("unicast-port") {
		return usagef("--unicast-port has no effect with --coordinator, which workers connect to instead of " +
			"this process; leave it out")
	}
	if err := f.network.Validate(); err != nil {
		return &usageError{Err: err}
	}
	return nil
}
