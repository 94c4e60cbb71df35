package prepare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// Limits for treating labels as classes without being told.
const (
	maxClasses = 10_000 // different texts
	maxNumbers = 20     // different numbers
)

// labelNames returns the label columns that a name of data sets. The default is the last column that is not a key.
func labelNames(n source.Name, s *pipeline.Schema, keys []string) ([]string, error) {
	list, given := n.Settings["label"]
	if !given {
		for _, c := range slices.Backward(s.Columns) {
			if !slices.Contains(keys, c.Title()) {
				return []string{c.Title()}, nil
			}
		}
		return nil, fmt.Errorf("%s: there is no column left for the label", n)
	}
	var names []string
	for _, name := range source.Values(list) {
		if s.Index(name) < 0 {
			if i, err := strconv.Atoi(name); err == nil && i >= -len(s.Columns) && i < len(s.Columns) {
				name = s.Columns[(i+len(s.Columns))%len(s.Columns)].Title()
			}
		}
		names = append(names, name)
	}
	if name, twice := data.Repeated(names); twice {
		return nil, fmt.Errorf("label: the column %q is there twice", name)
	}
	return names, nil
}

// byDefault reports whether the label is the last column because the data's name could name one, and does not.
func byDefault(n source.Name) bool {
	_, given := n.Settings["label"]
	_, apart := n.Settings["labels"]
	k, _ := source.KindOf(n.Kind)
	_, has := k.About().Setting("label")
	return has && !given && !apart
}

// wanted holds the settings of data about the labels.
type wanted struct {
	regression bool
	classes    []string // of names=LIST and classes=N
}

func wantedOf(n source.Name) (w wanted, err error) {
	if v, ok := n.Settings["regression"]; ok {
		if w.regression, err = strconv.ParseBool(v); err != nil {
			return w, &source.SettingError{Key: "regression", Value: v, Problem: "true or false should be here"}
		}
	}
	if v, ok := n.Settings["names"]; ok {
		w.classes = source.Values(v)
	} else if v, ok := n.Settings["classes"]; ok {
		k, err := strconv.Atoi(v)
		if err != nil || k < 2 {
			return w, &source.SettingError{Key: "classes", Value: v,
				Problem: "a number of classes should be here; names=LIST gives their names"}
		}
		w.classes = data.ClassNumbers(k)
	}
	return w, nil
}

// task returns the task for the labels of all rows, and the reason.
func (o *opening) task(labels []string, texts [][]string) (task source.Task, classes []string, why string, err error) {
	if o.regression {
		return source.Regression, nil, o.Proposal.Word("Regression", ""), nil
	}
	if len(labels) > 1 {
		return severalLabels(texts)
	}
	if o.classes != nil {
		return source.Classification, o.classes, "the classes are given", nil
	}
	found, numbers, whole := different(texts[0])
	count := strconv.Itoa(len(found))
	if len(found) > maxClasses {
		count = fmt.Sprintf("more than %d", maxClasses)
	}
	switch {
	case numbers && (len(found) > maxNumbers || !whole):
		why = fmt.Sprintf("it has %s different numbers; %s takes them as classes", count, o.Proposal.Word("Classes", ""))
		return source.Regression, nil, why, nil
	case len(found) > maxClasses:
		return "", nil, "", fmt.Errorf("column %q has more than %d different texts, which are too many classes; "+
			"choose another label", labels[0], maxClasses)
	case len(found) < 2:
		return "", nil, "", fmt.Errorf("column %q is %q in all rows: a label needs two values or more", labels[0], found[0])
	case numbers:
		why = fmt.Sprintf("it has %d different numbers; %s takes them as numbers", len(found),
			o.Proposal.Word("Regression", ""))
	default:
		why = fmt.Sprintf("it has %d different texts", len(found))
	}
	return source.Classification, found, why, nil
}

// severalLabels are labels that are each there or not, or numbers.
func severalLabels(texts [][]string) (source.Task, []string, string, error) {
	for _, column := range texts {
		for _, text := range column {
			switch strings.ToLower(text) {
			case "0", "1", "0.0", "1.0", "true", "false":
			default:
				return source.Regression, nil, "several columns with numbers other than 0 and 1", nil
			}
		}
	}
	return source.MultiLabel, nil, "several columns of 0 and 1", nil
}

// different returns the different texts, in numeric order if all are numbers, otherwise in alphabetical order. 1 and
// 1.0 are the same.
func different(texts []string) (names []string, numbers, whole bool) {
	seen := map[string]bool{}
	value := map[string]float64{}
	numbers, whole = true, true
	for _, text := range texts {
		if seen[text] {
			continue
		}
		seen[text] = true
		names = append(names, text)
		x, err := strconv.ParseFloat(text, 64)
		numbers = numbers && err == nil && x == x
		whole = whole && x == float64(int64(x))
		value[text] = x
	}
	slices.Sort(names)
	if !numbers {
		return names, false, false
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case value[a] < value[b]:
			return -1
		case value[a] > value[b]:
			return 1
		}
		return 0
	})
	return slices.CompactFunc(names, func(a, b string) bool { return value[a] == value[b] }), true, whole
}

// outputs returns the columns of a pipeline's result with the labels, and the classes if the columns' names have them.
func outputs(p *pipeline.Pipeline, out *pipeline.Schema, labels []string) (columns, classes []string, err error) {
	for _, label := range labels {
		name := renamed(p, label)
		if i := out.Index(name); i >= 0 {
			if c, ok := out.Columns[i].(pipeline.CategoricalColumn); ok && len(labels) == 1 {
				classes = c.States
			}
			columns = append(columns, name)
			continue
		}
		hot, states := oneHot(out, name)
		if len(labels) > 1 || len(hot) == 0 {
			return nil, nil, fmt.Errorf("the label: the pipeline gives no column %q: it gives %s", name,
				data.ShortList(out.Names()))
		}
		columns, classes = hot, states
	}
	return columns, classes, nil
}

// oneHot are the columns NAME[STATE] that CategoricalToOneHotTransform makes.
func oneHot(out *pipeline.Schema, name string) (columns, states []string) {
	for _, c := range out.Columns {
		rest, ok := strings.CutPrefix(c.Title(), name+"[")
		if state, closed := strings.CutSuffix(rest, "]"); ok && closed {
			columns, states = append(columns, c.Title()), append(states, state)
		}
	}
	return columns, states
}

// renamed returns the name of a column after the pipeline's renaming.
func renamed(p *pipeline.Pipeline, name string) string {
	for _, s := range p.Steps {
		if r, ok := s.(pipeline.RenameColumns); ok {
			if i := slices.Index(r.OldNames, name); i >= 0 {
				name = r.NewNames[i]
			}
		}
	}
	return name
}

// raw returns the column of the data from which a label of the pipeline's result comes, as far as names show it.
func raw(p *pipeline.Pipeline, name string) string {
	for _, s := range slices.Backward(p.Steps) {
		if r, ok := s.(pipeline.RenameColumns); ok {
			if i := slices.Index(r.NewNames, name); i >= 0 {
				name = r.OldNames[i]
			}
		}
	}
	return name
}
