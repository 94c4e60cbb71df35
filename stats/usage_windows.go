package stats

import "syscall"

// processorSeconds returns the processor time that this process has used.
func processorSeconds() float64 {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	ticks := func(f syscall.Filetime) float64 { // in units of 100 ns
		return float64(uint64(f.HighDateTime)<<32 | uint64(f.LowDateTime))
	}
	return (ticks(kernel) + ticks(user)) / 1e7
}
