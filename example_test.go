package dl4go_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go"
)

// Reading is the measurements of a machine's sensors, and the state of its bearing found by inspection.
type Reading struct {
	Speed, Vibration float64
	Bearing          string
}

var machines = dl4go.Table[Reading]{
	Features: func(r Reading) []float64 { return []float64{r.Speed, r.Vibration} },
	Class:    func(r Reading) string { return r.Bearing },
	Columns:  []string{"speed", "vibration"},
}

// A network learns from a slice of structs, is saved to a file, and classifies a new value.
func Example() {
	ctx, path := context.Background(), temporary("machines.zip")
	all, err := machines.Data(readings(600))
	check(err)
	training, heldOut, err := dl4go.Split(all, 0.8, 1)
	check(err)
	model, err := dl4go.Train(ctx, dl4go.Config{Network: dl4go.MLP(16), Data: training, HeldOut: heldOut,
		Normalizer: dl4go.Standardize, Epochs: 100, Patience: 5, Metric: "accuracy"})
	check(err)
	result, err := model.Evaluate(ctx, heldOut)
	check(err)
	fmt.Println("more than 95 % of the held-out machines:", result.Accuracy() > 0.95)
	check(model.Save(ctx, path))
	check(model.Close())

	model, err = dl4go.Load(ctx, path)
	check(err)
	defer model.Close()
	class, err := model.Classify(ctx, machines.Features(Reading{Speed: 1000, Vibration: 9}))
	check(err)
	fmt.Println("the bearing is", class.Name)
	// Output:
	// more than 95 % of the held-out machines: true
	// the bearing is worn
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// readings are measurements in which vibration grows with speed, and is higher by half if a bearing is worn.
func readings(n int) []Reading {
	all := make([]Reading, n)
	for i := range all {
		speed := 500 + 1000*math.Abs(math.Sin(float64(i)))
		all[i] = Reading{speed, speed/200 + math.Cos(float64(7*i)), "good"}
		if i%2 == 0 {
			all[i].Vibration, all[i].Bearing = 1.5*all[i].Vibration+1, "worn"
		}
	}
	return all
}

// temporary returns a path in a new directory, so that no other program has the file.
func temporary(name string) string {
	dir, err := os.MkdirTemp("", "example")
	check(err)
	return filepath.Join(dir, name)
}
