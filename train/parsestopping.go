package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/registry"
)

var (
	pretrainingNames = []string{"patience", "min-improvement", "best-score", "max-time", "max-score", "metric",
		"samples", "every"}
	stoppingNames = append(slices.Clone(pretrainingNames), "layer", "latest")
)

// ParseStopping reads settings of the form name=value, separated by commas: "patience=5,metric=accuracy". The names
// are patience, min-improvement, best-score, max-time, max-score, metric, samples, every, layer and latest.
func ParseStopping(text string) (Stopping, error) { return parseStopping(text, stoppingNames) }

// ParsePretrainingStopping reads the settings of [Pretraining]: those of [ParseStopping] except layer and latest.
func ParsePretrainingStopping(text string) (Stopping, error) {
	s, err := parseStopping(text, pretrainingNames)
	if err != nil {
		return s, err
	}
	s = s.ofReconstruction()
	if !strings.HasPrefix(s.Metric, reconstruction) {
		return s, fmt.Errorf("metric=%s: pretraining has no labels: it is one of those that begin with %s, as %smse",
			s.Metric, reconstruction, reconstruction)
	}
	return s, nil
}

func parseStopping(text string, names []string) (s Stopping, err error) {
	values := map[string]string{}
	for _, setting := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(setting, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !slices.Contains(names, name):
			return s, fmt.Errorf("%q is none of %s%s", name, strings.Join(names, ", "), registry.SuggestWord(name, names))
		case !ok || value == "":
			return s, fmt.Errorf("%s needs a value, as %s=…", name, name)
		case values[name] != "":
			return s, fmt.Errorf("%s is there twice", name)
		}
		values[name] = value
		if err := s.set(name, value); err != nil {
			return s, err
		}
	}
	return s, s.Validate()
}

// set reads the value of a setting.
func (s *Stopping) set(name, text string) (err error) {
	switch name {
	case "metric":
		if metrics[text] == nil {
			known := Metrics()
			return fmt.Errorf("metric=%s: it is one of %s%s", text, strings.Join(known, ", "),
				registry.SuggestWord(text, known))
		}
		s.Metric = text
	case "layer":
		s.Layer = text
	case "latest":
		s.Latest = text
	case "patience":
		s.Patience, err = count(text, "epochs")
	case "every":
		s.Every, err = count(text, "epochs")
	case "samples":
		s.Samples, err = count(text, "draws")
	case "min-improvement":
		if s.MinImprovement, err = number(text); err == nil && s.MinImprovement < 0 {
			err = errNumber
		}
	case "best-score":
		s.BestScore = new(float64)
		*s.BestScore, err = number(text)
	case "max-score":
		s.MaxScore = new(float64)
		*s.MaxScore, err = number(text)
	case "max-time":
		if s.MaxTime, err = time.ParseDuration(text); err != nil || s.MaxTime <= 0 {
			err = errors.New("it must be a time, as 90s or 10m")
		}
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", name, text, err)
	}
	return nil
}

func count(text, of string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("it must be a number of %s, at least 1", of)
	}
	return n, nil
}

var errNumber = errors.New("it must be a number")

func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, errNumber
	}
	return x, nil
}
