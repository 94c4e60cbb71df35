package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// PredictValues is [Predictor.PredictRows] for structs, or pointers to them. A field's column is named by its tag, such
// as `dl4go:"petal width"`, or by the field's name if it has no tag. `dl4go:"-"` leaves a field out. Fields of embedded
// structs count as the struct's own. A nil pointer is a missing value.
func PredictValues[T any](ctx context.Context, p *Predictor, rows ...T) ([]Answer, error) {
	maps := make([]map[string]any, len(rows))
	for i, r := range rows {
		m := map[string]any{}
		if err := fieldsOf(reflect.ValueOf(r), m); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		maps[i] = m
	}
	return p.PredictRows(ctx, maps...)
}

// fieldsOf adds the columns of a struct to a row.
func fieldsOf(v reflect.Value, to map[string]any) error {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return errors.New("the row is nil")
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() {
		return fmt.Errorf("a row is a struct or a pointer to one, not a %v", v.Type())
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		name := f.Tag.Get("dl4go")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, twice := to[name]; twice {
			return fmt.Errorf("two fields of %v are the column %q; give one another tag", v.Type(), name)
		}
		field, err := v.FieldByIndexErr(f.Index)
		for err == nil && field.Kind() == reflect.Pointer && !field.IsNil() {
			field = field.Elem()
		}
		if err != nil || field.Kind() == reflect.Pointer {
			to[name] = nil
			continue
		}
		to[name] = plain(field)
	}
	return nil
}

// plain is a field's value, without a type of its own.
func plain(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.String && v.Type() != reflect.TypeFor[json.Number]():
		return v.String()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Float32:
		return float32(v.Float())
	case v.CanFloat():
		return v.Float()
	}
	return v.Interface()
}
