package legacy

// The names by which 1.0.0-alpha and before call classes.
var (
	layers         = map[string]string{}
	vertices       = map[string]string{}
	preprocessors  = map[string]string{}
	activations    = map[string]string{}
	losses         = map[string]string{}
	reconstruction = map[string]string{}
)

const (
	conf0     = "org.deeplearning4j.nn.conf."
	layer0    = conf0 + "layers."
	variation = layer0 + "variational."
)

func init() {
	fill(layers, layer0, "", map[string]string{"autoEncoder": "AutoEncoder", "convolution": "ConvolutionLayer",
		"convolution1d": "Convolution1DLayer", "gravesLSTM": "GravesLSTM", "LSTM": "LSTM",
		"gravesBidirectionalLSTM": "GravesBidirectionalLSTM",
		"output":                  "OutputLayer", "CenterLossOutputLayer": "CenterLossOutputLayer",
		"rnnoutput": "RnnOutputLayer", "loss": "LossLayer",
		"dense": "DenseLayer", "subsampling": "SubsamplingLayer", "subsampling1d": "Subsampling1DLayer",
		"batchNormalization": "BatchNormalization", "localResponseNormalization": "LocalResponseNormalization",
		"embedding":  "EmbeddingLayer",
		"activation": "ActivationLayer", "VariationalAutoencoder": "variational.VariationalAutoencoder",
		"dropout":       "DropoutLayer",
		"GlobalPooling": "GlobalPoolingLayer", "zeroPadding": "ZeroPaddingLayer", "zeroPadding1d": "ZeroPadding1DLayer",
		"FrozenLayer": "misc.FrozenLayer", "Upsampling2D": "Upsampling2D", "Yolo2OutputLayer": "objdetect.Yolo2OutputLayer",
		"RnnLossLayer": "RnnLossLayer", "CnnLossLayer": "CnnLossLayer", "Bidirectional": "recurrent.Bidirectional",
		"SimpleRnn": "recurrent.SimpleRnn", "ElementWiseMult": "misc.ElementWiseMultiplicationLayer",
		"MaskLayer":     "util.MaskLayer",
		"MaskZeroLayer": "util.MaskZeroLayer", "Cropping1D": "convolutional.Cropping1D",
		"Cropping2D": "convolutional.Cropping2D"})
	fill(vertices, conf0+"graph.", "", same("ElementWiseVertex", "MergeVertex", "SubsetVertex", "LayerVertex",
		"PreprocessorVertex",
		"StackVertex", "UnstackVertex", "L2Vertex", "ScaleVertex", "L2NormalizeVertex", "ShiftVertex", "ReshapeVertex",
		"PoolHelperVertex"))
	fill(vertices, conf0+"graph.rnn.", "", same("LastTimeStepVertex", "ReverseTimeSeriesVertex",
		"DuplicateToTimeSeriesVertex"))
	fill(preprocessors, conf0+"preprocessor.", "PreProcessor", map[string]string{"cnnToFeedForward": "CnnToFeedForward",
		"cnnToRnn":         "CnnToRnn",
		"feedForwardToCnn": "FeedForwardToCnn", "feedForwardToRnn": "FeedForwardToRnn",
		"rnnToFeedForward": "RnnToFeedForward", "rnnToCnn": "RnnToCnn"})
	fill(preprocessors, conf0+"preprocessor.", "", map[string]string{"composableInput": "ComposableInputPreProcessor"})
	fill(activations, "org.nd4j.linalg.activations.impl.Activation", "",
		same("Cube", "ELU", "HardSigmoid", "Identity", "LReLU", "RationalTanh",
			"RectifiedTanh", "SELU", "ReLU", "RReLU", "Sigmoid", "Softmax", "SoftPlus", "SoftSign", "TanH"))
	fill(activations, "org.nd4j.linalg.activations.impl.Activation", "",
		map[string]string{"HardTanh": "HardTanH", "SWISH": "Swish"})
	fill(losses, "org.nd4j.linalg.lossfunctions.impl.Loss", "", same("BinaryXENT", "CosineProximity", "Hinge", "KLD",
		"MAE", "L1", "MAPE", "MCXENT",
		"MSE", "L2", "MSLE", "NegativeLogLikelihood", "Poisson", "SquaredHinge", "FMeasure"))
	fill(reconstruction, variation, "ReconstructionDistribution",
		same("Gaussian", "Bernoulli", "Exponential", "Composite"))
	fill(reconstruction, variation, "", map[string]string{"LossWrapper": "LossFunctionWrapper"})
}

func fill(table map[string]string, before, after string, classes map[string]string) {
	for name, class := range classes {
		table[name] = before + class + after
	}
}

// same returns classes whose names have not changed.
func same(names ...string) map[string]string {
	m := map[string]string{}
	for _, n := range names {
		m[n] = n
	}
	return m
}
