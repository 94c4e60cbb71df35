package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// processorTime is how many milliseconds a process has been on a processor, all its threads together, in steps of 10; 0
// where the system doesn't say it as Linux does.
func processorTime(pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// After the command in parentheses, user and system time are the fields 14 and 15 of all.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	var ticks float64
	for _, f := range fields[11:13] {
		n, _ := strconv.ParseFloat(f, 64)
		ticks += n
	}
	return 10 * ticks
}
