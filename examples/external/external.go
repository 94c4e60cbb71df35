// Package external extends dl4go from another module: a layer, an activation, a loss, a weight initialisation, an
// updater, a threshold algorithm, a training hook, an early stopping condition, an evaluation, a kind of data and a
// storage scheme, each in a file of its own. Its tests train with them on every engine. docs/extending.md explains the
// parts.
//
// Each part is a plain struct. Fields with a dl4j tag are its settings in files. An init function registers the part
// under a class name, so that model files, checkpoints and workers find it: the program that reads a file, and every
// worker, must import the package.
package external
