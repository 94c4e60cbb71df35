package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// processorTime returns the processor time of all threads of a process in milliseconds, in steps of 10. It is 0 on
// systems that don't report it as Linux does.
func processorTime(pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// After the command in parentheses, user and system time are fields 14 and 15 of the whole line.
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
