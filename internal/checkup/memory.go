package checkup

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is the memory of a machine, in bytes; 0 means unknown.
type Memory struct {
	Total, Available int64
	Swap             int64 // free swap
	Limit            int64 // the container's
}

// ReadMemory reads the memory from Linux's files.
func ReadMemory() Memory { return readMemory("/") }

func readMemory(root string) Memory {
	var m Memory
	text, _ := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kib, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			continue
		}
		switch fields[0] {
		case "MemTotal:":
			m.Total = kib << 10
		case "MemAvailable:":
			m.Available = kib << 10
		case "SwapFree:":
			m.Swap = kib << 10
		}
	}
	for _, name := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(filepath.Join(root, name))
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && (m.Total == 0 || limit < m.Total) { // a huge limit means no limit
			m.Limit = limit
		}
	}
	return m
}

// few is the size below which the machine's memory is not checked.
const few = 256 << 20

// Fits fails if this machine cannot provide that many bytes: if less is free, swap included, or if the container's
// limit is lower. Such an allocation would end the program without a message.
func Fits(bytes int64) error {
	if bytes < few {
		return nil
	}
	return ReadMemory().fits(bytes)
}

func (m Memory) fits(bytes int64) error {
	if free := m.Available + m.Swap; m.Available > 0 && bytes > free {
		return &MemoryError{bytes, free}
	}
	if m.Limit > 0 && bytes > m.Limit {
		return &MemoryError{bytes, m.Limit}
	}
	return nil
}

// MemoryError says that an allocation is larger than the machine's free memory.
type MemoryError struct{ Bytes, Free int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%.2f GB of memory are needed, and this machine has %.2f GB free", float64(e.Bytes)/1e9,
		float64(e.Free)/1e9)
}

// All returns how much memory a program may have.
func (m Memory) All() int64 {
	if m.Limit > 0 {
		return m.Limit
	}
	return m.Total
}
