package distributed

import (
	"log/slog"
	"slices"
)

// WarnUnmoved warns when a fit has changed no parameter. That is not an error: a schedule's rate may be 0 for a
// while. why is the reason, if it is known.
func WarnUnmoved(log *slog.Logger, before, after []float32, why string) {
	if !slices.Equal(before, after) {
		return
	}
	if why == "" {
		why = "is the learning rate 0, or every layer frozen?"
	}
	log.Warn("training changed no parameter: " + why)
}
