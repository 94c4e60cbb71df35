package apply

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/workplace"
)

// eachPiece calls f with the data, or with the pieces of a stream in order.
func (a *Applied) eachPiece(ctx context.Context, f func(*distributed.Data) error) error {
	if a.stream == nil {
		return f(a.data)
	}
	err := a.on.EachPiece(ctx, a.stream, a.Network.Normalizer, f)
	if wrong := (*distributed.StreamError)(nil); errors.As(err, &wrong) {
		err = workplace.ExplainData("data", err)
	}
	return err
}

// counted calls visit for each of the source's examples, and shows the progress.
func (a *Applied) counted(what string, visit func(done func(examples int)) error) error {
	a.Out.Start(what, int64(a.source.Info().Examples))
	defer a.Out.Stop()
	return visit(func(n int) { a.Out.Bar().Add(int64(n), "") })
}

// some fails if there was no example: rows that a query's table had when it was first read may be gone.
func (a *Applied) some(examples int) error {
	if examples == 0 {
		return fmt.Errorf("--data: %s gave no examples", a.source.Info().Name)
	}
	return nil
}

// Name returns the name of the data.
func (a *Applied) Name() string { return a.source.Info().Name }

// Seconds returns the time since the beginning.
func (a *Applied) Seconds() float64 { return time.Since(a.begin).Seconds() }

// Speed formats the number of examples in a second since the beginning.
func (a *Applied) Speed(examples int) string {
	return progress.Count(int64(float64(examples) / a.Seconds()))
}

// Done emits the last event, with the members that all commands have.
func (a *Applied) Done(examples int, e console.Event) error {
	filtered := 0
	switch {
	case a.stream != nil:
		filtered = a.stream.Filtered()
		a.place.TellNotes("data", a.stream.Notes())
	case a.source != nil: // a table without rows has no source
		filtered = a.source.Info().Filtered
	}
	if filtered > 0 {
		a.Out.Line("the model's pipeline left %s out", progress.Plural(filtered, "row"))
		e["filtered"] = filtered
	}
	e["model"], e["examples"], e["seconds"] = a.Model, examples, a.Seconds()
	return a.Out.Done(e)
}

// keyColumns returns the number of columns of an example's key, if it is the key of a query's row.
func (a *Applied) keyColumns() int {
	if a.data == nil {
		return 0
	}
	return a.data.KeyColumns()
}

// ownUnit returns the scaler that converts the predictions and labels of a model with a pipeline to their own unit;
// nil for other models.
func (a *Applied) ownUnit() *data.Scaler {
	if a.source.Info().Task != source.Regression {
		return nil
	}
	n, _ := a.Network.Normalizer.(*data.Scaler)
	return n
}
