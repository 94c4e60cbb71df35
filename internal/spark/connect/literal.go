package connect

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// literal encodes a value for the protocol, so that it never becomes part of SQL text. Values are nil, booleans,
// int, int32, int64, float32, float64, strings, bytes, and slices of int64, float32, float64 or strings.
func literal(v any) (*protocol.Expression_Literal, error) {
	l := new(protocol.Expression_Literal)
	switch v := v.(type) {
	case nil:
		l.LiteralType = &protocol.Expression_Literal_Null{Null: &protocol.DataType{
			Kind: &protocol.DataType_Null{Null: &protocol.DataType_Plain{}}}}
	case bool:
		l.LiteralType = &protocol.Expression_Literal_Boolean{Boolean: v}
	case int:
		l.LiteralType = &protocol.Expression_Literal_Long{Long: int64(v)}
	case int32:
		l.LiteralType = &protocol.Expression_Literal_Integer{Integer: v}
	case int64:
		l.LiteralType = &protocol.Expression_Literal_Long{Long: v}
	case float32:
		l.LiteralType = &protocol.Expression_Literal_Float{Float: v}
	case float64:
		l.LiteralType = &protocol.Expression_Literal_Double{Double: v}
	case string:
		l.LiteralType = &protocol.Expression_Literal_String_{String_: v}
	case []byte:
		l.LiteralType = &protocol.Expression_Literal_Binary{Binary: v}
	case []int64:
		return array(v, &protocol.DataType{Kind: &protocol.DataType_Long{Long: &protocol.DataType_Plain{}}})
	case []float32:
		return array(v, &protocol.DataType{Kind: &protocol.DataType_Float{Float: &protocol.DataType_Plain{}}})
	case []float64:
		return array(v, &protocol.DataType{Kind: &protocol.DataType_Double{Double: &protocol.DataType_Plain{}}})
	case []string:
		return array(v, &protocol.DataType{Kind: &protocol.DataType_String_{String_: &protocol.DataType_Plain{}}})
	default:
		return nil, fmt.Errorf("a value of type %T can't be sent to Spark as a literal", v)
	}
	return l, nil
}

func array[T any](values []T, elem *protocol.DataType) (*protocol.Expression_Literal, error) {
	a := &protocol.Expression_Literal_Array{ElementType: elem}
	for _, v := range values {
		l, err := literal(v)
		if err != nil {
			return nil, err
		}
		a.Elements = append(a.Elements, l)
	}
	return &protocol.Expression_Literal{LiteralType: &protocol.Expression_Literal_Array_{Array: a}}, nil
}
