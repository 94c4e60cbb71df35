package serving

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// misfit returns an error of package json in words of the request: the member that does not fit, and what belongs
// there.
func misfit(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	where := "the body"
	if path := strings.Trim(wrong.Field, "."); path != "" {
		where = fmt.Sprintf("%q", path)
	}
	want := "an object"
	switch wrong.Type.Kind() {
	case reflect.Slice:
		want = "a list"
	case reflect.String:
		want = "a text"
	case reflect.Bool:
		want = "true or false"
	case reflect.Int, reflect.Int64:
		want = "a whole number"
	case reflect.Float32, reflect.Float64:
		want = "a number"
	}
	kind, value, _ := strings.Cut(wrong.Value, " ") // such as "number 1.5"
	switch kind {
	case "array":
		kind = "a list"
	case "object":
		kind = "an object"
	case "string":
		kind = "a text"
	case "bool":
		kind = "true or false"
	case "number":
		if kind = "a number"; value != "" {
			kind = value
		}
	}
	return fmt.Errorf("%s is %s; %s belongs there", where, kind, want)
}
