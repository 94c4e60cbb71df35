package tune

import (
	"context"

	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// Complete sets the metric and the epochs that suit the data, unless they are given. A metric that the data does not
// have is a [usage.Error].
func (c *Config) Complete() error {
	info := c.Data.Info()
	if c.Metric == "" {
		c.Metric = UsualMetric(info)
	} else if !HasMetric(info, c.Metric) {
		return usage.Errorf("--metric %s: this data has none; leave it out, or use loss", c.Metric)
	}
	if c.Epochs == 0 {
		if c.Epochs = DefaultEpochs; info.Examples < train.SmallData {
			c.Epochs = DefaultEpochsSmall
		}
	}
	return nil
}

// ReadSpace reads the values to search: those of a file, unless it is empty, and given ones, which replace them.
func ReadSpace(ctx context.Context, file string, given map[string]string) (Space, error) {
	values := map[string]string{}
	if file != "" {
		text, err := storage.ReadFile(ctx, file)
		if err == nil {
			values, err = ParseSpace(text)
		}
		if err != nil {
			return Space{}, usage.Errorf("--space %s: %w", file, err)
		}
	}
	for name, value := range given {
		values[name] = value
	}
	return NewSpace(values)
}
