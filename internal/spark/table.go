package spark

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/worker"
)

// query is SQL without arguments: a parser that an extension brings along, as Delta's does, may not bind them.
type query string

// sqlf combines queries: each %s of the format is a string of the program, or a query.
func sqlf(format string, parts ...any) query { return query(fmt.Sprintf(format, parts...)) }

// encoded is a literal of base64 in SQL. That has no character with a meaning of its own in a literal, whatever the
// session's settings make of backslashes and variables.
func encoded(base64 string) string { return "'" + base64 + "'" }

// texts is an array of base64 or of numbers in SQL. Spark parses one literal, however many elements there are.
func texts(list []string) string { return "split(" + encoded(strings.Join(list, ",")) + ", ',')" }

// longs is an array of BIGINT in SQL.
func longs(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return "cast(" + texts(words) + " AS array<bigint>)"
}

// table is the records of partitions, as a query for the columns
//
//	p INT        the partition
//	k STRING     the record's kind, or place for a job's record
//	line STRING  the record, as package worker writes it
//
// Each partition lies in one of Spark's partitions, in order, and begins with a record of kind place; one of Spark's
// may hold several partitions, one after the other.
type table struct {
	rows query
	// shape describes the partition's records to the worker.
	shape func(partition int, t *worker.Task)
	// dealt: its partitions are not read in their order.
	dealt bool
}

// place is the kind of a record that a job replaces. (In workers' output it stands for their header.)
const place = ">"

// tab separates the fields of a line: partition, attempt, sequence number, kind, index, data.
const tab = "'\t'"

// field returns the n-th field of a line, counted from 1, except the last.
func field(n int) string {
	return fmt.Sprintf("substring_index(substring_index(line, %s, %d), %s, -1)", tab, n, tab)
}

// sealed extracts the columns p, k, line from the lines of workers.
func sealed(lines query) query {
	return sqlf("SELECT p, IF(k = 'j', '"+place+"', k) AS k, line FROM (SELECT int("+field(1)+") AS p, "+field(4)+
		" AS k, line FROM (%s)) WHERE k <> 'h'", lines)
}

// places makes a record of kind place for each of n partitions. Its place column sorts it first.
func places(n int) query {
	return sqlf("SELECT int(id) AS p, '%s' AS k, concat(id, '\t0\t0\tj\t0') AS line, bigint(-2) AS "+
		"place, "+
		"bigint(0) AS seq FROM range(%d)", place, n)
}

// begun returns a query for n place records alone, as neighbours, for partitions without other records.
func begun(n, slots int) query {
	return sqlf("SELECT int(id) AS p, '%s' AS k, concat(id, '\t0\t0\tj\t0') AS line FROM range(0, %d, "+
		"1, %d)",
		place, n, max(1, min(n, slots)))
}

// layout is the arrangement of partitions in Spark's partitions.
type layout int

const (
	inBlocks layout = iota // neighbours together: results come in order
	dealt                  // neighbours apart: a few neighbours are processed at the same time
)

// placed moves records to their partitions. rows has the columns p, k, line, place, seq. The last two, of type BIGINT,
// order a partition's records.
func (e *cluster) placed(rows query, partitions int, l layout) query {
	return e.placedAs("p, k, line", rows, partitions, l, positions)
}

// placedAs is placed for rows that have these columns instead of p, k and line.
func (e *cluster) placedAs(columns string, rows query, partitions int, l layout, w width) query {
	n := max(1, min(partitions, e.slots))
	at := fmt.Sprintf("p DIV %d", max(1, (partitions+n-1)/n))
	if l == dealt {
		at = fmt.Sprintf("p %% %d", n)
	}
	keys := strings.ReplaceAll(strings.Trim(fmt.Sprint(keys(n)), "[]"), " ", ",")
	return sqlf(`SELECT `+columns+` FROM (SELECT /*+ REPARTITION(%s, key) */ * FROM
		(SELECT *, element_at(array(%s), int(%s) + 1) AS key FROM (%s))) SORT BY %s, p, place, seq`,
		fmt.Sprint(n), keys, at, rows,
		sortKey(partitions, w))
}

// width is the size of the records' places.
type width int

const (
	positions width = iota // the rest of 63 bits beside a partition's number is enough
	hashes                 // all of 63 bits
)

// sortKey returns an expression that never falls from one record to the next in the order of p and place, and that
// distinguishes almost all records. Spark first compares such a key without a look at the rows, which saves most of a
// sort's time.
func sortKey(partitions int, w width) string {
	partition, place := shifts(partitions, w)
	return fmt.Sprintf("shiftleft(bigint(p), %d) + shiftright(place, %d)", partition, place)
}

// shifts returns the shifts that make 63 bits of a partition's number and a place.
func shifts(partitions int, w width) (partition, place int) {
	b := bits.Len(uint(max(partitions, 1) - 1))
	if w == hashes {
		place = b
	}
	return 63 - b, place
}

// keys returns numbers that Spark's hash puts into partitions 0 … n-1: keys[i] goes to partition i.
func keys(n int) []int32 {
	found, keys := 0, make([]int32, n)
	has := make([]bool, n)
	for k := int32(0); found < n; k++ {
		p := int(int32(murmur3(uint32(k)))) % n
		if p < 0 {
			p += n
		}
		if !has[p] {
			has[p], keys[p] = true, k
			found++
		}
	}
	return keys
}

// murmur3 is the hash (x86, 32 bits, seed 42) of an int, by which Spark partitions.
func murmur3(k uint32) uint32 {
	rotate := func(x uint32, n int) uint32 { return x<<n | x>>(32-n) }
	h := uint32(42) ^ rotate(k*0xcc9e2d51, 15)*0x1b873593
	h = rotate(h, 13)*5 + 0xe6546b64
	h ^= 4
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// in lists partitions for SQL.
func in(partitions []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(partitions), "[]"), " ", ", ")
}
