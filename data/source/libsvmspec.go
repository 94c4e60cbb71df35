package source

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// openLibSVMSpec opens FILE?features=…&classes=…&labels=…&regression=….
func openLibSVMSpec(rest string) (*table, error) {
	path, o, err := ParseLibSVM(rest)
	if err != nil {
		return nil, err
	}
	t, err := openLibSVM(path, o)
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
