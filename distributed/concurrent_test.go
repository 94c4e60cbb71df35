package distributed_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/tensor"
)

// TestAtOnce checks that goroutines that evaluate, score and predict with one network at once get the same results as
// one goroutine.
func TestAtOnce(t *testing.T) {
	ctx := context.Background()
	e := onEngine(t, "local[3]")
	net := distributed.New(e, digitsNet(t, "mlp"), nil, distributed.Options{})
	d, err := distributed.FromSource(e, digits(t, "test"), 5)
	if err != nil {
		t.Fatal(err)
	}
	batch := digits(t, "test").Range(0, 10).Features[0]
	ask := func() (string, error) {
		result, err := net.Evaluate(ctx, d, nil, 1)
		if err != nil {
			return "", err
		}
		score, n, err := net.Score(ctx, d, true, true, 0)
		if err != nil {
			return "", err
		}
		here, err := net.Output(batch)
		if err != nil {
			return "", err
		}
		predictions, err := net.Predict(ctx, d, distributed.PredictOptions{})
		if err != nil {
			return "", err
		}
		defer predictions.Release()
		sum := float64(0)
		err = predictions.Each(ctx, func(_ string, y []*tensor.Dense) error { sum += float64(y[0].Data[0]); return nil })
		return fmt.Sprintln(result.ConfusionMatrix(), score, n, here[0].Data, sum), err
	}
	want, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got, err := ask(); err != nil || got != want {
				t.Errorf("error %v, %s\nalone: %s", err, got, want)
			}
		})
	}
	all.Wait()
}

// TestListenerPanics checks that after a listener's panic that the program recovers, the fit's workers have ended and
// their slots are free.
func TestListenerPanics(t *testing.T) {
	ctx := context.Background()
	settings := sharing.Default()
	settings.RDDTrainingApproach = sharing.Direct
	shared, err := sharing.New(settings, sharing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	e := onEngine(t, "local[2]")
	d, err := distributed.FromSource(e, digits(t, "test"), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, master := range []distributed.TrainingMaster{tinyMaster(t), shared} {
		net := distributed.New(e, digitsNet(t, "mlp"), master, distributed.Options{})
		func() {
			defer func() {
				if p := recover(); p != "the listener's" {
					t.Errorf("%T: recovered %v", master, p)
				}
			}()
			t.Errorf("%T: fit gives %v", master, net.FitListening(ctx, d, func(distributed.Round) { panic("the listener's") }))
		}()
		if _, err := net.Evaluate(ctx, d, nil, 1); err != nil {
			t.Errorf("%T: %v", master, err)
		}
		if err := net.Fit(ctx, d); err != nil {
			t.Errorf("%T: %v", master, err)
		}
	}
}
