package prepare

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/storage"
)

// ClassWeights reads the value of --class-weights: balanced, a file of weights, or an empty text.
func ClassWeights(ctx context.Context, text string, info source.Info) (balanced bool, weights []float64, err error) {
	if text != "" && text != "balanced" {
		weights, err = ReadClassWeights(ctx, text, info)
	}
	return text == "balanced", weights, err
}

// ReadClassWeights reads a file of class names and weights: .json and .yaml as an object, others as CSV of two columns.
// It gives the weights in the order of the classes of data.
func ReadClassWeights(ctx context.Context, path string, info source.Info) ([]float64, error) {
	text, err := storage.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	var given []classWeight
	switch {
	case strings.HasSuffix(path, ".json"):
		given, err = weightsOfJSON(text)
	case strings.HasSuffix(path, ".yaml"), strings.HasSuffix(path, ".yml"):
		given, err = weightsOfYAML(text)
	default:
		given, err = weightsOfCSV(text)
	}
	if err == nil {
		var weights []float64
		if weights, err = inOrder(given, info); err == nil {
			return weights, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// classWeight is a line of such a file.
type classWeight struct {
	class, weight string
	at            string // such as "line 3, "
}

func weightsOfJSON(text []byte) (all []classWeight, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New(`it is not an object of classes and weights such as {"cat": 1, "dog": 2.5}`)
	}
	for d.More() {
		class, err := d.Token()
		if err != nil {
			return nil, err
		}
		var weight any
		if err := d.Decode(&weight); err != nil {
			return nil, err
		}
		all = append(all, classWeight{class.(string), fmt.Sprint(weight), ""})
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("the object has no end: %w", err)
	}
	return all, nil
}

func weightsOfYAML(text []byte) (all []classWeight, err error) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, err
	}
	if len(n.Content) != 1 || n.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it has no lines of a class and its weight, such as cat: 2.5")
	}
	of := n.Content[0].Content
	for i := 0; i+1 < len(of); i += 2 {
		all = append(all, classWeight{of[i].Value, of[i+1].Value, fmt.Sprintf("line %d, ", of[i].Line)})
	}
	return all, nil
}

func weightsOfCSV(text []byte) (all []classWeight, err error) {
	r := csv.NewReader(bufio.NewReader(bytes.NewReader(text)))
	r.FieldsPerRecord, r.TrimLeadingSpace = 2, true
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if _, err := strconv.ParseFloat(record[1], 64); err != nil && all == nil && line == 1 {
			continue // a header
		}
		all = append(all, classWeight{strings.TrimSpace(record[0]), strings.TrimSpace(record[1]),
			fmt.Sprintf("line %d, ", line)})
	}
	return all, nil
}

// inOrder checks that there is a weight for each class, and for no other.
func inOrder(given []classWeight, info source.Info) ([]float64, error) {
	names := info.OutputNames()
	if names == nil {
		names = data.ClassNumbers(info.Classes)
	}
	found := map[int]float64{}
	find := (&data.Schema{Classes: names}).ClassFinder()
	for _, g := range given {
		k := find(g.class)
		x, err := strconv.ParseFloat(g.weight, 64)
		_, twice := found[k]
		switch {
		case k < 0:
			return nil, fmt.Errorf("%sthere is no class %q: there are %s", g.at, g.class, data.ShortList(names))
		case twice:
			return nil, fmt.Errorf("%sthe class %q is there twice", g.at, g.class)
		case err != nil || !(x >= 0) || math.IsInf(x, 0):
			return nil, fmt.Errorf("%sclass %q: %q is not a weight, which is a number of at least 0",
				g.at, g.class, g.weight)
		}
		found[k] = x
	}
	var missing []string
	for k, name := range names {
		if _, ok := found[k]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("there is no weight of the class %s: each class needs one", data.ShortList(missing))
	}
	weights := make([]float64, len(names))
	for _, k := range slices.Sorted(maps.Keys(found)) {
		weights[k] = found[k]
	}
	return weights, nil
}
