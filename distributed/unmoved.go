package distributed

import (
	"log/slog"
	"slices"
)

// WarnUnmoved warns when a fit has changed no parameter. That is not an error: a schedule's rate may be 0 for a
// while.
func WarnUnmoved(log *slog.Logger, before, after []float32) {
	if slices.Equal(before, after) {
		log.Warn("training changed no parameter: is the learning rate 0, or every layer frozen?")
	}
}
