// Package stored keeps rows of data.AppendRow in a file that all processes of this machine can read: in memory while
// there is room, and otherwise on disk. On Linux the file has no name, so it does not outlive its owner.
//
// Rows on disk are read in order, because a random place costs a page. Shuffle copies them to the buckets of another
// order, and readers put one bucket after the other in order.
package stored
