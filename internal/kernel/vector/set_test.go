package vector

import (
	"reflect"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// TestSetsAreComplete checks that each variant has every kernel.
func TestSetsAreComplete(t *testing.T) {
	for _, v := range kernel.Available() {
		set := reflect.ValueOf(*For(v))
		for i := range set.NumField() {
			if f := set.Field(i); f.Kind() == reflect.Func && f.IsNil() {
				t.Errorf("the variant %v has no %s", v, set.Type().Field(i).Name)
			}
		}
	}
}
