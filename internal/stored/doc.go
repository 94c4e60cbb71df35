// Package stored keeps rows of data.AppendRow in a file that all processes of this machine read: in memory while there
// is room, and beyond that on disk. On Linux the file has no name, so nothing of it outlives its owner.
package stored
