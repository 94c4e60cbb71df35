// Package masters has the common parts of the training masters: the settings that all have, with their checks; what a
// fit sends to the workers and leaves for the next one; its account of time; and a worker's side of that. How workers
// train, and how they come to one network, is each master's own.
package masters
