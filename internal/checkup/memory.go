package checkup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is that of a machine, in bytes; what is not known is 0.
type Memory struct {
	Total, Available int64
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

// All is how much a program may have.
func (m Memory) All() int64 {
	if m.Limit > 0 {
		return m.Limit
	}
	return m.Total
}
