// Package dl4j reads and writes the primitives of Deeplearning4j's files: Nd4j arrays, the model zip, Java-serialised
// lists of strings, and JSON as Deeplearning4j's Jackson mapper prints it. What the JSON means belongs to the packages
// whose structs it configures; they tag their fields and register their classes here.
//
// A struct is an object. Its fields are named by the dl4j tag, and written in alphabetical order:
//
//	type Adam struct {
//		LearningRate float64           `dl4j:"learningRate"`
//		Beta1        float64           `dl4j:"beta1"`
//		Schedule     updater.Schedule `dl4j:"learningRateSchedule,omitnull"`
//	}
//
// Options of the tag, after the name and a comma: omitnull leaves the field out where it is null (a nil pointer,
// interface, slice or map); zeronull writes the zero value, as "" or 0, as null and reads it so; creator writes the field before the others, in the order of declaration, as Jackson does
// with the parameters of an annotated constructor; alias=NAME reads that name too. Fields without the tag are not in
// the file; embedded structs without a tag are inlined.
//
// Polymorphic objects carry "@class". The Go interface that they implement has a table of classes, filled in init:
//
//	var Updaters = dl4j.NewClasses[Updater]("updater")
//
//	func init() {
//		Updaters.Register("org.nd4j.linalg.learning.config.Adam", func() Updater { return DefaultAdam() })
//	}
//
// From then on a field (element, map value) of type Updater is read and written with its class. What the constructor
// gives are the values of absent members. A class or a member that nobody knows is an error that says where it is.
//
// Members that Deeplearning4j writes but that mean nothing here are listed by a method InertFields with their usual
// values; a field of type Inert keeps values that differ.
package dl4j
