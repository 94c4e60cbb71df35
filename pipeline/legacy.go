package pipeline

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// Files of DataVec 1.0.0-alpha and before have an object with one member, a short name, where an "@class" is used
// today: {"Integer": {"name": "n"}}.

// legacyClasses maps short names to classes, by the member that contains the object: a package, and the names of
// classes in it. A name that has changed is written OLD=NEW.
var legacyClasses = map[string][]string{
	"initialSchema": {"schema", "Schema SequenceSchema"},
	"columns": {"metadata", "Binary=BinaryMetaData Boloean=BooleanMetaData Boolean=BooleanMetaData " +
		"Categorical=CategoricalMetaData Double=DoubleMetaData Float=FloatMetaData Integer=IntegerMetaData " +
		"Long=LongMetaData NDArray=NDArrayMetaData String=StringMetaData Time=TimeMetaData"},
	"filter": {"filter", "ConditionFilter FilterInvalidValues InvalidNumCols=InvalidNumColumns InvalidNumColumns"},
	"condition": {
		"condition", "BooleanCondition",
		"condition.column", "CategoricalColumnCondition DoubleColumnCondition FloatColumnCondition " +
			"InfiniteColumnCondition IntegerColumnCondition InvalidValueColumnCondition LongColumnCondition " +
			"NaNColumnCondition NullWritableColumnCondition StringColumnCondition TimeColumnCondition " +
			"TrivialColumnCondition",
		"condition.sequence", "SequenceLengthCondition",
		"condition.string", "StringRegexColumnCondition"},
	"comparator":     {"sequence.comparator", "NumericalColumnComparator StringComparator"},
	"sequenceSplit":  {"sequence.split", "SequenceSplitTimeSeparation SplitMaxLengthSequence"},
	"windowFunction": {"sequence.window", "OverlappingTimeWindowFunction TimeWindowFunction"},
	"transform": {
		"transform.categorical", "CategoricalToIntegerTransform CategoricalToOneHotTransform FirstDigitTransform " +
			"IntegerToCategoricalTransform PivotTransform StringToCategoricalTransform",
		"transform.column", "AddConstantColumnTransform DuplicateColumnsTransform " +
			"RemoveAllColumnsExceptForTransform RemoveColumnsTransform RenameColumnsTransform ReorderColumnsTransform",
		"transform.condition", "ConditionalCopyValueTransform ConditionalReplaceValueTransform " +
			"ConditionalReplaceValueTransformWithDefault",
		"transform.doubletransform", "ConvertToDouble DoubleColumnsMathOpTransform DoubleMathFunctionTransform " +
			"DoubleMathOpTransform Log2Normalizer MinMaxNormalizer StandardizeNormalizer SubtractMeanNormalizer",
		"transform.floattransform", "ConvertToFloat FloatColumnsMathOpTransform FloatMathFunctionTransform " +
			"FloatMathOpTransform",
		"transform.integer", "ConvertToInteger IntegerColumnsMathOpTransform IntegerMathOpTransform " +
			"IntegerToOneHotTransform ReplaceEmptyIntegerWithValueTransform ReplaceInvalidWithIntegerTransform",
		"transform.longtransform", "LongColumnsMathOpTransform LongMathOpTransform",
		"transform.nlp", "TextToCharacterIndexTransform TextToTermIndexSequenceTransform",
		"transform.parse", "ParseDoubleTransform",
		"transform.sequence", "SequenceDifferenceTransform SequenceMovingWindowReduceTransform SequenceOffsetTransform",
		"transform.string", "AppendStringColumnTransform ChangeCaseStringTransform ConcatenateStringColumns " +
			"ConvertToString ConvertToStringTransform=ConvertToString MapAllStringsExceptListTransform " +
			"RemoveWhiteSpaceTransform ReplaceEmptyStringTransform ReplaceStringTransform " +
			"StringListToCategoricalSetTransform StringListToCountsNDArrayTransform " +
			"StringListToIndicesNDArrayTransform StringMapTransform",
		"transform.time", "DeriveColumnsFromTimeTransform StringToTimeTransform TimeMathOpTransform",
		"ndarray", "NDArrayColumnsMathOpTransform NDArrayDistanceTransform NDArrayMathFunctionTransform " +
			"NDArrayScalarOpTransform",
		"sequence", "ReduceSequenceTransform",
		"sequence.trim", "SequenceTrimToLengthTransform SequenceTrimTransform",
		"sequence.window", "ReduceSequenceByWindowTransform"},
}

// legacyValues are the members that contain a value.
var legacyValues = []string{"fixedValue", "newValue", "yesVal", "noVal", "defaultValue", "edgeCaseValue",
	"specifiedValueWritable", "pad"}

// modern converts an old tree to today's format, in place. member is the member that contains the tree.
func modern(tree any, member string) any {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			v[i] = modern(v[i], member)
		}
	case dl4j.Object:
		if len(v) == 1 {
			inner, isObject := v[0].Value.(dl4j.Object)
			if class := legacyClass(member, v[0].Name); class != "" && (isObject || v[0].Value == nil) {
				v = append(dl4j.Object{{Name: "@class", Value: class}}, inner...)
			}
		}
		for i, m := range v {
			v[i].Value = modern(m.Value, m.Name)
		}
		return v
	}
	return tree
}

// legacyClass returns the class of a short name, or "".
func legacyClass(member, short string) string {
	if slices.Contains(legacyValues, member) {
		for _, name := range writableNames {
			if name == short {
				return writables + name
			}
		}
		return ""
	}
	if member == "conditions" {
		member = "condition"
	}
	list := legacyClasses[member]
	for i := 0; i+1 < len(list); i += 2 {
		for name := range strings.FieldsSeq(list[i+1]) {
			then, now, other := strings.Cut(name, "=")
			if !other {
				now = then
			}
			if then == short {
				return "org.datavec.api.transform." + list[i] + "." + now
			}
		}
	}
	return ""
}
