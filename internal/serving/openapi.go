package serving

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/serve"
)

// object is a JSON object.
type object = map[string]any

// openAPI describes the server's endpoints and its models in OpenAPI 3.1.
func (s *rest) openAPI(w http.ResponseWriter, _ *http.Request) {
	paths, schemas := s.commonPaths(), commonSchemas()
	for _, m := range s.newest() {
		addModel(paths, schemas, m)
	}
	components := object{"schemas": schemas, "responses": responses()}
	doc := object{"openapi": "3.1.0", "paths": paths, "components": components,
		"info": object{"title": "dl4go serve", "version": s.options.Version,
			"description": "Answers of models, by the names of columns and by the Open Inference Protocol v2."}}
	if s.options.Token != "" {
		components["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
		doc["security"] = []object{{"token": []string{}}}
	}
	write(w, http.StatusOK, doc)
}

// newest returns the newest version of each model, by name.
func (r *Repository) newest() []*Model {
	r.mu.RLock()
	defer r.mu.RUnlock()
	of := map[string]*Model{}
	for _, p := range r.places {
		if m := of[p.Name]; m == nil || newer(p.Version, m.Version) {
			of[p.Name] = p.model
		}
	}
	var list []*Model
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, of[name])
	}
	return list
}

// ref returns a reference to a schema.
func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// jsonOf returns the content of a body with a schema.
func jsonOf(schema object) object { return object{"application/json": object{"schema": schema}} }

// answers returns the responses of an operation, with its possible failures.
func answers(ok string, schema object, failures ...string) object {
	success := object{"description": ok}
	if schema != nil {
		success["content"] = jsonOf(schema)
	}
	all := object{"200": success}
	for _, code := range failures {
		all[code] = object{"$ref": "#/components/responses/" + failureNames[code]}
	}
	return all
}

// failureNames are the names of the error responses, by status code.
var failureNames = map[string]string{"400": "BadInput", "401": "NoToken", "404": "NoModel", "413": "TooLarge",
	"429": "Overloaded", "503": "Closing", "504": "Late"}

// asking are the possible failures of an inference request.
var asking = []string{"400", "401", "404", "413", "429", "503", "504"}

func responses() object {
	all := object{}
	for code, text := range map[string]string{"400": "The input does not fit the model, or has NaN.",
		"401": "The token is missing or wrong.", "404": "There is no such model or version.",
		"413": "The request has more bytes than --max-request.",
		"429": "Too many examples wait, or requests and answers take too much memory; ask again later.",
		"503": "The model is being closed.", "504": "The request took longer than --timeout."} {
		all[failureNames[code]] = object{"description": text, "content": jsonOf(ref("Error"))}
	}
	return all
}

// pathPart is a parameter of a path.
func pathPart(name string) object {
	return object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}}
}

// commonPaths are the paths that are the same for all models.
func (s *rest) commonPaths() object {
	get := func(id, text string, responses object, parameters ...object) object {
		return object{"get": operation(id, text, responses, nil, parameters...)}
	}
	open := func(id, text string, schema object) object {
		path := get(id, text, answers(text, schema))
		path["get"].(object)["security"] = []object{}
		return path
	}
	paths := object{
		"/v2/health/live":  open("live", "The server answers", nil),
		"/v2/health/ready": open("ready", "The server is ready; with the state of each model", ref("Health")),
		"/v2":              get("server", "Name, version and extensions", answers("About the server", ref("Server"), "401")),
		"/v2/repository/index": object{"post": operation("index", "All models",
			answers("The models", object{"type": "array", "items": ref("State")}, "401"), nil)},
	}
	for path, version := range map[string][]object{"": nil, "/versions/{version}": {pathPart("version")}} {
		parts := append([]object{pathPart("model")}, version...)
		of := ""
		if version != nil {
			of = "Version"
		}
		base := "/v2/models/{model}" + path
		paths[base] = get("metadata"+of, "Names, types and shapes of inputs and outputs",
			answers("About the model", ref("Metadata"), "401", "404"), parts...)
		paths[base+"/ready"] = get("modelReady"+of, "The model is there", answers("It is", nil, "401", "404"), parts...)
		paths[base+"/infer"] = object{"post": operation("infer"+of, "Outputs of tensors",
			answers("The outputs", ref("InferReply"), asking...), ref("InferRequest"), parts...)}
	}
	return paths
}

// operation is an operation of a path.
func operation(id, text string, responses, body object, parameters ...object) object {
	o := object{"operationId": id, "summary": text, "responses": responses}
	if body != nil {
		o["requestBody"] = object{"required": true, "content": jsonOf(body)}
	}
	if parameters != nil {
		o["parameters"] = parameters
	}
	return o
}

// addModel adds the endpoint of a model that takes named columns.
func addModel(paths, schemas object, m *Model) {
	columns := m.predictor.Columns()
	if columns == nil {
		return
	}
	id := schemaName(m.Name)
	schemas[id+".Row"] = rowSchema(columns)
	one, list := ref(id+".Row"), "rows"
	if m.predictor.TakesSequences() {
		schemas[id+".Sequence"] = object{"type": "object", "required": []string{"steps"}, "properties": object{
			"steps": object{"type": "array", "minItems": 1, "items": ref(id + ".Row")}}}
		one, list = ref(id+".Sequence"), "sequences"
	}
	several := object{"type": "object", "required": []string{list}, "properties": object{
		list: object{"type": "array", "minItems": 1, "items": one}}}
	schemas[id+".Question"] = object{"anyOf": []object{several, one}}
	schemas[id+".Answer"] = answerSchema(m, ref(id+".Answer"))
	reply := object{"type": "object", "required": []string{"predictions"}, "properties": object{
		"predictions": object{"type": "array", "items": ref(id + ".Answer")}}}
	schemas[id+".Reply"] = reply
	ask := operation("predict."+id, "Answers of "+m.Name+" about "+list+" of named columns",
		answers("An answer to each", ref(id+".Reply"), asking...), ref(id+".Question"))
	ask["x-model"], ask["x-schema"] = m.Name, id // for the page
	paths["/v1/models/"+url.PathEscape(m.Name)+":predict"] = object{"post": ask}
}

// schemaName is a model's name, reduced to the characters allowed in the names of schemas.
func schemaName(model string) string {
	var b strings.Builder
	for _, c := range []byte(model) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			b.WriteByte(c)
		} else {
			b.WriteString("_" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
		}
	}
	return b.String()
}

// rowSchema describes a row, or a step.
func rowSchema(columns []serve.Column) object {
	properties, names := object{}, make([]string, len(columns))
	for i, c := range columns {
		names[i], properties[c.Name] = c.Name, columnSchema(c)
	}
	return object{"type": "object", "required": names, "properties": properties}
}

// columnSchema describes a value of a column. Numbers may be texts.
func columnSchema(c serve.Column) object {
	schema := object{}
	types := []string{"string", "number"}
	switch c.Type {
	case pipeline.IntegerType, pipeline.LongType:
		schema["format"] = "int64"
	case pipeline.TimeType:
		schema["description"] = "a time, or milliseconds since 1970"
	case pipeline.BooleanType:
		types = append(types, "boolean")
	case pipeline.StringType, pipeline.CategoricalType:
		types = []string{"string", "number", "boolean"}
	case pipeline.BytesType, pipeline.ArrayType:
		types = []string{"string", "array", "object"}
	}
	if c.Values != nil {
		schema["examples"] = c.Values[:min(len(c.Values), 100)]
	}
	if c.Min != nil {
		schema["minimum"] = *c.Min
	}
	if c.Max != nil {
		schema["maximum"] = *c.Max
	}
	if c.Gaps {
		types = append(types, "null")
	}
	schema["type"] = types
	if c.Closed && c.Values != nil {
		allowed := []any{}
		for _, v := range c.Values {
			allowed = append(allowed, v)
		}
		if c.Gaps {
			allowed = append(allowed, nil)
		}
		return object{"enum": allowed}
	}
	return schema
}

// answerSchema describes an answer; self is the reference for a step's answer.
func answerSchema(m *Model, self object) object {
	number := object{"type": "number"}
	values := func(names []string) object {
		properties := object{}
		for _, name := range names {
			properties[name] = number
		}
		return object{"type": "object", "properties": properties}
	}
	names := m.predictor.Names()
	class := object{"type": "string"}
	if names.Classes != nil {
		class["enum"] = names.Classes
	}
	properties := object{"class": class, "probability": number, "probabilities": values(names.Classes),
		"values": values(names.Labels)}
	if m.predictor.TakesSequences() {
		properties["steps"] = object{"type": "array", "items": self}
	}
	return object{"type": "object", "properties": properties}
}
