package main

// promise is a property, and the tests and fuzz targets that try to violate it.
type promise struct {
	text  string
	how   string   // how it is tested
	unit  string   // of the runs
	tests []string // as campaign.Result names them
	found string   // what was found and fixed, if anything
}

// promises are the table's rows, in its order.
var promises = []promise{
	{
		text: "A damaged file is an error. It neither panics nor takes memory that its size does not justify.",
		how:  "tests change bytes and entries of sound files",
		unit: "files",
		tests: []string{
			"nn.TestMutatedModels", "nn.TestMutatedSavedModels", "nn.TestMutatedConfigurations",
			"dl4j.TestMutatedModels", "dl4j.TestMutatedYAML", "dl4j.TestMutatedOldArrays", "data.TestMutatedDataSets",
			"data.TestMutatedNormalizers", "stats.TestReadDamaged",
			"internal/onnx.TestMutatedModels", "internal/keras.TestMutated", "internal/hdf5.TestMutated",
			"internal/safetensors.TestMutatedFiles", "internal/parquet.TestMutatedFiles", "data/source.TestMutatedTables",
		},
		found: "rows of 255 arrays were read as rows without arrays (15), a batch of sparse vectors took memory for all of " +
			"their zeros (17)",
	},
	{
		text: "The same holds for files, tables and texts that a fuzzer makes.",
		how:  "`make fuzz`",
		unit: "inputs",
		tests: []string{
			"nn.FuzzNetwork", "nn.FuzzConfiguration", "stats.FuzzReadJSON", "engine.FuzzCells", "dl4j.FuzzArray",
			"dl4j.FuzzModel", "dl4j.FuzzStringList", "dl4j.FuzzYAML", "dl4j.FuzzConfiguration", "data/source.FuzzCSV",
			"data/source.FuzzCSVWalk",
			"data/source.FuzzIDX", "data/source.FuzzLibSVM", "data.FuzzReadNormalizer", "data.FuzzRead",
			"internal/parquet.FuzzParquet",
			"data.FuzzDecodeRow", "eval.FuzzUnmarshal", "eval.FuzzDecode", "pipeline.FuzzPipeline",
			"internal/decimal.FuzzParse", "pipeline.FuzzNumbersOfTexts",
			"pipeline.FuzzValue", "pipeline/analysis.FuzzDigest", "pipeline/analysis.FuzzDataAnalysis",
			"internal/joda.FuzzParse", "internal/picture.FuzzDecode", "internal/picture/jpeg.FuzzDecode",
			"internal/picture/png.FuzzDecode",
			"internal/hdf5.FuzzFile",
			"internal/safetensors.FuzzRead", "internal/keras.FuzzModel", "internal/onnx.FuzzRead",
		},
	},
	{
		text: "A damaged message is refused, even if its checksum is right.",
		how:  "tests damage messages and correct their checksums; `make fuzz`",
		unit: "messages",
		tests: []string{
			"internal/coordination.TestDamagedFrames", "threshold.TestMutatedMessages", "internal/worker.FuzzText",
			"internal/worker.FuzzBinary", "internal/arrow.FuzzRead", "internal/arrow.FuzzFile",
			"internal/coordination/mesh.FuzzFrame",
			"internal/coordination.FuzzDecode", "threshold.FuzzWire",
		},
		found: "memory was allocated before the limits were checked (8)",
	},
	{
		text: "A program computes what plain loops in float64 compute, on any number of threads.",
		how:  "random programs",
		unit: "programs",
		tests: []string{
			"internal/cpu.TestRandomPrograms",
		},
	},
	{
		text: "Gradient sharing loses no part of an update, and all replicas agree, even if workers and links " +
			"fail.",
		how: "a simulator with a virtual clock and random schedules of faults; the codec on random " +
			"updates",
		unit: "seeds",
		tests: []string{
			"internal/coordination/sim.TestSchedules", "internal/coordination/sim.TestCodec",
			"threshold.TestConservation",
		},
		found: "steps began too early (1), messages exceeded the transport's limit (4), updater state was stale (6)",
	},
	{
		text: "Strangers at the coordinator's port have no effect on training.",
		how:  "a simulator with an intruder",
		unit: "seeds",
		tests: []string{
			"internal/coordination/sim.TestIntruder",
		},
	},
	{
		text: "A fault of a worker process neither ends a job nor changes a bit of its result.",
		how:  "kills, stops, wrong output and repeated output, by worker and step: [faults.md](faults.md)",
		unit: "faults",
		tests: []string{
			"internal/process.TestFaults", "distributed.TestCountingOnProcesses", "distributed.TestTrainingUnderFaults",
		},
	},
	{
		text: "The same holds for workers and executors of Spark.",
		how:  "the same, on a real Spark: [faults.md](faults.md)",
		unit: "faults",
		tests: []string{
			"internal/spark.TestSparkFaults", "distributed.TestCountingOnSpark",
			"distributed.TestTrainingUnderFaultsOnSpark",
		},
	},
	{
		text: "A Connect server of Spark's default size serves many sessions and runs of many epochs. Its memory does " +
			"not grow, and disks keep small values only.",
		how: "30 sessions, and a run of 100 epochs over a query; the test measures direct memory, the heap after a " +
			"collection, and files",
		unit: "sessions and epochs",
		tests: []string{
			"cmd/dl4go.TestSparkEndurance",
		},
		found: "direct memory leaked with each relation (29), programs of commands stayed (44)",
	},
	{
		text: "Gradient sharing trains each minibatch once, even if workers fail, and is as accurate as without " +
			"faults.",
		how:  "kills, stops and broken links at each point of the protocol: [faults.md](faults.md)",
		unit: "faults",
		tests: []string{
			"distributed/sharing.TestFaults",
		},
	},
}
