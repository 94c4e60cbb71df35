package checkup

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is that of a machine, in bytes; what is not known is 0.
type Memory struct {
	Total, Available int64
	Swap             int64 // that is free
	Limit            int64 // of the container
}

// ReadMemory asks Linux.
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
		if err == nil && (m.Total == 0 || limit < m.Total) { // no limit is a huge one
			m.Limit = limit
		}
	}
	return m
}

// few is what is not worth a look at the machine.
const few = 256 << 20

// Fits fails if this machine cannot give that many bytes: if less is free, swap included, or the container may have
// less. Such an allocation would end the program without a message.
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

// MemoryError says that an allocation is more than the machine can give.
type MemoryError struct{ Bytes, Free int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%.2f GB of memory are needed, and this machine has %.2f GB free", float64(e.Bytes)/1e9,
		float64(e.Free)/1e9)
}

// All is how much a program may have.
func (m Memory) All() int64 {
	if m.Limit > 0 {
		return m.Limit
	}
	return m.Total
}
