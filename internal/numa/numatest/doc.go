// Package numatest asks Linux on which NUMA nodes memory lies, for tests.
package numatest
