package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
)

// openLibSVMSpec opens FILE?features=…&classes=…&labels=…&regression=….
func openLibSVMSpec(ctx context.Context, rest string, as *data.Schema) (*table, error) {
	path, o, err := ParseLibSVM(rest)
	if err == nil {
		o, err = o.As(as)
	}
	if err != nil {
		return nil, err
	}
	t, err := openLibSVM(ctx, path, o)
	if err != nil {
		return nil, err
	}
	t.info.Name = "libsvm:" + rest
	return t, nil
}

// ParseLibSVM reads what stands behind libsvm: in the name of a source, FILE?features=…&classes=…&labels=…&regression=….
func ParseLibSVM(rest string) (path string, o LibSVM, err error) {
	path, query := rest, ""
	if i := strings.LastIndexByte(rest, '?'); i >= 0 {
		path, query = rest[:i], rest[i+1:]
	}
	if path == "" {
		return "", o, specf("a file is needed: libsvm:FILE?features=N&classes=N")
	}
	o, err = parseLibSVM(query)
	return path, o, err
}

func parseLibSVM(query string) (o LibSVM, err error) {
	options, err := parseOptions(query)
	if err != nil {
		return o, err
	}
	for _, k := range slices.Sorted(maps.Keys(options)) {
		v := options[k]
		bad := func(want string) error { return specf("%s=%s: %s", k, v, want) }
		switch k {
		case "features":
			if o.Features, err = strconv.Atoi(v); err != nil || o.Features < 1 {
				return o, bad("a number of features should be here")
			}
		case "classes":
			if o.Classes, err = strconv.Atoi(v); err != nil || o.Classes < 1 {
				return o, bad("a number of classes should be here; regression=true says that labels are no classes")
			}
		case "labels":
			for _, s := range strings.Split(v, ",") {
				l, err := number(strings.TrimSpace(s))
				if err != nil || slices.Contains(o.Labels, l) {
					return o, bad("the different labels should be here, as numbers, in the order of the classes")
				}
				o.Labels = append(o.Labels, l)
			}
		case "regression":
			if o.Regression, err = strconv.ParseBool(v); err != nil {
				return o, bad("true or false should be here")
			}
		default:
			return o, specf("unknown option %q: there are features, classes, labels and regression", k)
		}
	}
	return o, o.check()
}

// As gives the options by which labels are the classes of a schema. It fails with a MismatchError where they are
// others.
func (o LibSVM) As(s *data.Schema) (LibSVM, error) {
	if s == nil || s.Classes == nil || o.Regression {
		return o, nil
	}
	mismatch := func(format string, args ...any) (LibSVM, error) {
		return o, &MismatchError{fmt.Errorf(format+", and the model's classes are %s", append(args, data.ShortList(s.Classes))...)}
	}
	if o.Classes > 0 && o.Classes != len(s.Classes) {
		return mismatch("classes=%d", o.Classes)
	}
	find := s.ClassFinder()
	for _, name := range o.names() {
		if find(name) < 0 {
			return mismatch("labels has %s", name)
		}
	}
	if s.Numbered() {
		o.Classes, o.Labels = len(s.Classes), nil
		return o, nil
	}
	var labels []float64
	for _, name := range s.Classes {
		l, err := number(name)
		if err != nil && o.Classes == 0 {
			return mismatch("labels are numbers; classes=%d says that they are those of classes", len(s.Classes))
		}
		if err != nil {
			return o, nil
		}
		labels = append(labels, l)
	}
	if o.Classes > 0 {
		return mismatch("classes=%d takes labels as 0 to %d", o.Classes, o.Classes-1)
	}
	o.Labels = labels
	return o, nil
}
