package engine

import (
	"fmt"
	"strings"
)

// StorageLevel chooses where the partitions of a persisted data set are kept. Names are those of Spark and
// Deeplearning4j.
type StorageLevel string

// On Spark they mean what Spark says. On local, rows already are bytes, and memory is that of one process:
//
//	NONE                    not kept: computed again by every job
//	MEMORY_ONLY             rows as they are, by reference; beyond the engine's StorageMemory computed again
//	MEMORY_ONLY_SER         a partition's rows in one block, which costs the garbage collector nothing; beyond
//	                        StorageMemory computed again
//	MEMORY_AND_DISK(_SER)   the same, but beyond StorageMemory in a file of the temporary directory
//	DISK_ONLY               in a file of the temporary directory, each row with its CRC32C
//	OFF_HEAP                MEMORY_AND_DISK_SER, with a warning: there is no memory outside the heap
//	…_2, …_3                one copy, with a warning: there is no second machine
const (
	None             StorageLevel = "NONE"
	MemoryOnly       StorageLevel = "MEMORY_ONLY"
	MemoryOnlySer    StorageLevel = "MEMORY_ONLY_SER"
	MemoryAndDisk    StorageLevel = "MEMORY_AND_DISK"
	MemoryAndDiskSer StorageLevel = "MEMORY_AND_DISK_SER"
	DiskOnly         StorageLevel = "DISK_ONLY"
	OffHeap          StorageLevel = "OFF_HEAP"
)

var storageLevels = []StorageLevel{
	None, DiskOnly, "DISK_ONLY_2", "DISK_ONLY_3", MemoryOnly, "MEMORY_ONLY_2", MemoryOnlySer, "MEMORY_ONLY_SER_2",
	MemoryAndDisk, "MEMORY_AND_DISK_2", MemoryAndDiskSer, "MEMORY_AND_DISK_SER_2", OffHeap,
}

// ParseStorageLevel reads a level's name. The empty name is NONE: Deeplearning4j writes a missing level as null.
func ParseStorageLevel(name string) (StorageLevel, error) {
	if name == "" {
		return None, nil
	}
	for _, l := range storageLevels {
		if string(l) == name {
			return l, nil
		}
	}
	return "", fmt.Errorf("storage level %q is not one of %v", name, storageLevels)
}

// Memory reports whether the level keeps partitions in memory while there is room.
func (l StorageLevel) Memory() bool { return strings.HasPrefix(string(l), "MEMORY") || l == OffHeap }

// Disk reports whether the level keeps partitions on disk that do not fit into memory.
func (l StorageLevel) Disk() bool { return strings.Contains(string(l), "DISK") || l == OffHeap }

// Serialised reports whether a partition is kept in memory as one block.
func (l StorageLevel) Serialised() bool { return strings.Contains(string(l), "_SER") || l == OffHeap }

// Replicas returns the number of machines that the level asks for.
func (l StorageLevel) Replicas() int {
	switch {
	case strings.HasSuffix(string(l), "_2"):
		return 2
	case strings.HasSuffix(string(l), "_3"):
		return 3
	}
	return 1
}
