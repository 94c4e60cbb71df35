package serving

// commonSchemas are the schemas of the Open Inference Protocol, and of errors.
func commonSchemas() object {
	text, list := object{"type": "string"}, func(of object) object { return object{"type": "array", "items": of} }
	record := func(required []string, properties object) object {
		return object{"type": "object", "required": required, "properties": properties}
	}
	shape := list(object{"type": "integer"})
	datatype := object{"type": "string", "enum": []string{"BOOL", "FP16", "FP32", "FP64", "INT8", "INT16", "INT32",
		"INT64", "UINT8", "UINT16", "UINT32", "UINT64"}}
	parameters := object{"type": "object"}
	tensor := func() object {
		return record([]string{"name", "shape", "datatype"}, object{"name": text, "shape": shape,
			"datatype": datatype, "parameters": parameters,
			"data": object{"type": "array", "description": "numbers, in one list in row-major order or in nested ones"}})
	}
	described := record([]string{"name", "datatype", "shape"}, object{"name": text, "datatype": datatype, "shape": shape})
	return object{
		"Error": record([]string{"error"}, object{"error": text}),
		"State": record([]string{"name", "version", "state", "reason"}, object{"name": text, "version": text,
			"state": text, "reason": text}),
		"Health": record([]string{"ready", "models"}, object{"ready": object{"type": "boolean"},
			"models": list(ref("State"))}),
		"Server": record([]string{"name", "version", "extensions"}, object{"name": text, "version": text,
			"extensions": list(text)}),
		"Tensor": described,
		"Metadata": record([]string{"name", "versions", "platform", "inputs", "outputs"}, object{"name": text,
			"versions": list(text), "platform": text, "inputs": list(ref("Tensor")), "outputs": list(ref("Tensor")),
			"parameters": parameters}),
		"InferInput":  tensor(),
		"InferOutput": tensor(),
		"InferRequest": record([]string{"inputs"}, object{"id": text, "parameters": parameters,
			"inputs": list(ref("InferInput")), "outputs": list(record([]string{"name"}, object{"name": text,
				"parameters": parameters}))}),
		"InferReply": record([]string{"model_name", "outputs"}, object{"model_name": text, "model_version": text, "id": text,
			"outputs": list(ref("InferOutput"))}),
	}
}
