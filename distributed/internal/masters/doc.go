// Package masters has the common parts of the training masters: common settings and their checks; data that a fit sends
// to the workers and keeps for the next fit; statistics of time; and the worker's side of these. Each master has its
// own way to train workers and to combine their networks.
package masters
