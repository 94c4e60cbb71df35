// Package dl4j reads and writes the primitives of Deeplearning4j's files: Nd4j arrays, the model zip, Java-serialised
// lists of strings, and JSON as printed by Deeplearning4j's Jackson mapper. Other packages define the JSON's meaning:
// they tag the fields of their structs, and register their classes here.
//
// A struct is an object. Its fields are named by the dl4j tag, and written in alphabetical order:
//
//	type Adam struct {
//		LearningRate float64           `dl4j:"learningRate"`
//		Beta1        float64           `dl4j:"beta1"`
//		Schedule     updater.Schedule `dl4j:"learningRateSchedule,omitnull"`
//	}
//
// Options of the tag follow the name and a comma:
//
//   - omitnull omits the field if it is null (a nil pointer, interface, slice or map);
//   - zeronull writes a zero value ("" or 0) as null, and reads null as zero;
//   - creator writes the field before the others, in the order of declaration, as Jackson does with the parameters of
//     an annotated constructor;
//   - alias=NAME also reads that name.
//
// Fields without the tag are not in the file. Embedded structs without a tag are inlined.
//
// Polymorphic objects carry "@class". The Go interface that they implement has a table of classes, filled in init:
//
//	var Updaters = dl4j.NewClasses[Updater]("updater")
//
//	func init() {
//		Updaters.Register("org.nd4j.linalg.learning.config.Adam", func() Updater { return NewAdam() })
//	}
//
// From then on, a field (element, map value) of type Updater is read and written with its class. Absent members have
// the values that the constructor sets. An unknown class or member is an error that names its place.
//
// Deeplearning4j writes some members that have no effect here. A method InertFields lists them with their usual values,
// and a field of type [Inert] keeps other values: see [InertFields].
//
// A value may have a form of its own in JSON: see [TreeMarshaler] and [TreeUnmarshaler]. A struct that must do
// something after it was read is an [AfterReader].
package dl4j
