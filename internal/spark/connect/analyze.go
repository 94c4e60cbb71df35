package connect

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// analysis asks about relations without executing them.
type analysis struct{ *link }

// StorageLevel is where persisted partitions are kept, in Spark's terms.
type StorageLevel struct {
	Disk, Memory, OffHeap, Deserialized bool
	Replication                         int
}

func (l StorageLevel) wire() *protocol.StorageLevel {
	return &protocol.StorageLevel{UseDisk: l.Disk, UseMemory: l.Memory, UseOffHeap: l.OffHeap,
		Deserialized: l.Deserialized,
		Replication:  int32(max(1, l.Replication))}
}

// Column is a column of a relation: its name and SQL type.
type Column struct {
	Name     string
	Type     string // in SQL: double, array<float>
	Nullable bool
}

// Schema returns the columns of a relation. It fails if a table does not exist.
func (a *analysis) Schema(ctx context.Context, r Relation) ([]Column, error) {
	if r.err != nil {
		return nil, r.err
	}
	answer, err := a.analyze(ctx, "analyse a query", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_Schema_{Schema: &protocol.AnalyzePlanRequest_Schema{Plan: root(r)}}})
	var columns []Column
	for _, f := range answer.GetSchema().GetSchema().GetStruct().GetFields() {
		columns = append(columns, Column{f.Name, typeName(f.DataType), f.Nullable})
	}
	return columns, err
}

// Explain returns the server's plans for a relation as text.
func (a *analysis) Explain(ctx context.Context, r Relation) (string, error) {
	if r.err != nil {
		return "", r.err
	}
	answer, err := a.analyze(ctx, "explain a query", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_Explain_{Explain: &protocol.AnalyzePlanRequest_Explain{Plan: root(r),
			ExplainMode: protocol.AnalyzePlanRequest_Explain_EXPLAIN_MODE_EXTENDED}}})
	return answer.GetExplain().GetExplainString(), err
}

// Persist makes the server keep the relation's partitions when a query computes them. Later queries use them wherever
// the relation is part of their plans.
func (a *analysis) Persist(ctx context.Context, r Relation, level StorageLevel) error {
	if r.err != nil {
		return r.err
	}
	_, err := a.analyze(ctx, "persist a relation", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_Persist_{
			Persist: &protocol.AnalyzePlanRequest_Persist{Relation: r.r, StorageLevel: level.wire()}}})
	return err
}

// Unpersist drops the partitions that Persist kept. With wait, it returns after the executors have dropped them.
func (a *analysis) Unpersist(ctx context.Context, r Relation, wait bool) error {
	if r.err != nil {
		return r.err
	}
	_, err := a.analyze(ctx, "unpersist a relation", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_Unpersist_{
			Unpersist: &protocol.AnalyzePlanRequest_Unpersist{Relation: r.r, Blocking: &wait}}})
	return err
}

// StorageLevel returns where a relation is kept. The zero level, with Replication 1, means nowhere.
func (a *analysis) StorageLevel(ctx context.Context, r Relation) (StorageLevel, error) {
	if r.err != nil {
		return StorageLevel{}, r.err
	}
	answer, err := a.analyze(ctx, "ask for a storage level", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_GetStorageLevel_{
			GetStorageLevel: &protocol.AnalyzePlanRequest_GetStorageLevel{Relation: r.r}}})
	l := answer.GetGetStorageLevel().GetStorageLevel()
	return StorageLevel{l.GetUseDisk(), l.GetUseMemory(), l.GetUseOffHeap(), l.GetDeserialized(),
		int(l.GetReplication())}, err
}

func (a *analysis) sparkVersion(ctx context.Context) (string, error) {
	answer, err := a.analyze(ctx, "begin a session", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_SparkVersion_{SparkVersion: new(protocol.AnalyzePlanRequest_SparkVersion)}})
	return answer.GetSparkVersion().GetVersion(), err
}

func root(r Relation) *protocol.Plan { return &protocol.Plan{OpType: &protocol.Plan_Root{Root: r.r}} }

func (a *analysis) analyze(ctx context.Context, what string,
	r *protocol.AnalyzePlanRequest) (*protocol.AnalyzePlanResponse, error) {
	r.SessionId, r.UserContext, r.ClientType = a.id, a.user(), a.client()
	r.ClientObservedServerSideSessionId = a.observed()
	return call[protocol.AnalyzePlanResponse](ctx, a.link, "AnalyzePlan", what, r)
}

// typeName returns SQL's name of a type.
func typeName(t *protocol.DataType) string {
	switch k := t.GetKind().(type) {
	case *protocol.DataType_Boolean:
		return "boolean"
	case *protocol.DataType_Byte:
		return "tinyint"
	case *protocol.DataType_Short:
		return "smallint"
	case *protocol.DataType_Integer:
		return "int"
	case *protocol.DataType_Long:
		return "bigint"
	case *protocol.DataType_Float:
		return "float"
	case *protocol.DataType_Double:
		return "double"
	case *protocol.DataType_Decimal_:
		if k.Decimal.Precision == nil || k.Decimal.Scale == nil {
			return "decimal"
		}
		return fmt.Sprintf("decimal(%d,%d)", *k.Decimal.Precision, *k.Decimal.Scale)
	case *protocol.DataType_String_, *protocol.DataType_Char, *protocol.DataType_VarChar:
		return "string"
	case *protocol.DataType_Binary:
		return "binary"
	case *protocol.DataType_Date:
		return "date"
	case *protocol.DataType_Timestamp:
		return "timestamp"
	case *protocol.DataType_TimestampNtz:
		return "timestamp_ntz"
	case *protocol.DataType_Null:
		return "void"
	case *protocol.DataType_Variant:
		return "variant"
	case *protocol.DataType_Array_:
		return "array<" + typeName(k.Array.GetElementType()) + ">"
	case *protocol.DataType_Map_:
		return "map<" + typeName(k.Map.GetKeyType()) + "," + typeName(k.Map.GetValueType()) + ">"
	case *protocol.DataType_Struct_:
		name := "struct<"
		for i, f := range k.Struct.GetFields() {
			if i > 0 {
				name += ","
			}
			name += f.Name + ":" + typeName(f.DataType)
		}
		return name + ">"
	case *protocol.DataType_Udt:
		if class := k.Udt.GetJvmClass(); class != "" {
			return class
		}
		return k.Udt.GetPythonClass()
	case *protocol.DataType_Unparsed_:
		return k.Unparsed.GetDataTypeString()
	}
	return "another type"
}
