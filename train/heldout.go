package train

import (
	"context"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
)

// scorer scores the network on held-out data, on the run's engine.
type scorer struct {
	on      *distributed.Network[*nn.Network]
	data    *distributed.Data
	classes int
}

// score finds the figures of the held-out data: the accuracy where it has classes, the score where it has none.
func (s *scorer) score(ctx context.Context, f *Figures) error {
	if s == nil {
		return nil
	}
	if s.classes == 0 {
		score, _, err := s.on.Score(ctx, s.data, true, false, 0)
		f.HeldOut = &score
		return err
	}
	e, err := s.on.Evaluate(ctx, s.data, nil, 1)
	if err != nil {
		return err
	}
	accuracy := e.Accuracy()
	f.Accuracy = &accuracy
	return nil
}
