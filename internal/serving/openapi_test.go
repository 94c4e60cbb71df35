package serving

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/serve"
)

// described returns the server's OpenAPI description.
func (s *serving) described(headers ...string) map[string]any {
	s.Helper()
	code, _, text := s.get("/openapi.json", headers...)
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); code != http.StatusOK || err != nil {
		s.Fatalf("%d %v %s", code, err, text)
	}
	return doc
}

// at returns the value at a path of keys in a document.
func at(t *testing.T, doc any, keys ...string) any {
	t.Helper()
	for _, k := range keys {
		m, ok := doc.(map[string]any)
		if !ok || m[k] == nil {
			t.Fatalf("%v has no %q of %q", doc, k, keys)
		}
		doc = m[k]
	}
	return doc
}

// TestOpenAPI: all references resolve, operations have unique names, the server has all paths, and models of named
// columns have their columns and classes.
func TestOpenAPI(t *testing.T) {
	s := start(t, Options{}, serve.Options{}, Spec{"steps&{x}", "1", stepwise(t)})
	doc := s.described()
	if at(t, doc, "openapi") != "3.1.0" || at(t, doc, "info", "title") == "" {
		t.Errorf("%v %v", doc["openapi"], doc["info"])
	}
	var ids []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if to, ok := v["$ref"].(string); ok {
				at(t, doc, strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
			}
			if id, ok := v["operationId"].(string); ok {
				ids = append(ids, id)
				at(t, v, "responses", "200", "description")
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	slices.Sort(ids)
	if distinct := len(slices.Compact(slices.Clone(ids))); distinct != len(ids) || len(ids) != 12 {
		t.Errorf("operations %q", ids)
	}
	for path, methods := range at(t, doc, "paths").(map[string]any) {
		path = strings.NewReplacer("{model}", "m", "{version}", "1").Replace(path)
		for method := range methods.(map[string]any) {
			var code int
			if method == "get" {
				code, _, _ = s.get(path)
			} else {
				code, _, _ = s.post(path, []byte(`[]`))
			}
			if want := map[string]int{"get": http.StatusOK, "post": http.StatusBadRequest}[method]; code != want &&
				path != "/v2/repository/index" {
				t.Errorf("%s %s: %d", method, path, code)
			}
		}
	}
	row := at(t, doc, "components", "schemas", "m.Row")
	if got := at(t, row, "required"); len(got.([]any)) != 3 {
		t.Errorf("columns %v", got)
	}
	if got := at(t, doc, "components", "schemas", "m.Answer", "properties", "class", "enum"); len(got.([]any)) != 2 {
		t.Errorf("classes %v", got)
	}
	at(t, doc, "components", "schemas", "steps_26_7Bx_7D.Sequence", "properties", "steps")
	at(t, doc, "components", "schemas", "steps_26_7Bx_7D.Answer", "properties", "steps")
}

// TestOpenAPIOfTokens: the description of a server with a token says so, and is available only with the token.
func TestOpenAPIOfTokens(t *testing.T) {
	s := start(t, Options{Token: "geheim"}, serve.Options{})
	if code, _, _ := s.get("/openapi.json"); code != http.StatusUnauthorized {
		t.Errorf("without the token: %d", code)
	}
	doc := s.described("Authorization", "Bearer geheim")
	if at(t, doc, "components", "securitySchemes", "token", "scheme") != "bearer" ||
		len(at(t, doc, "security").([]any)) != 1 {
		t.Errorf("%v", doc["security"])
	}
	if open := at(t, doc, "paths", "/v2/health/live", "get", "security").([]any); len(open) != 0 {
		t.Errorf("health needs %v", open)
	}
}

// TestPage: the page needs no token, contains nothing of the models, runs only its own script, and sends requests to
// no other server.
func TestPage(t *testing.T) {
	s := start(t, Options{Token: "geheim"}, serve.Options{})
	code, header, body := s.get("/")
	text := string(body)
	if code != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", code, header)
	}
	policy := header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "connect-src 'self'", "base-uri 'none'",
		"frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy has no %s: %s", part, policy)
		}
	}
	for tag, kind := range map[string]string{"script": "script-src ", "style": "style-src "} {
		_, after, _ := strings.Cut(text, "<"+tag+">")
		inner, _, ok := strings.Cut(after, "</"+tag+">")
		if !ok || strings.Count(text, "<"+tag) != 1 || !strings.Contains(policy, kind+hashed(inner)+";") {
			t.Errorf("the policy does not allow the %s: %s", tag, policy)
		}
	}
	for _, never := range []string{"http://", "https://", "innerHTML", " on", "src=", "geheim", "{{"} {
		before, _, _ := strings.Cut(text, "<script>")
		if strings.Contains(before, never) || never != " on" && strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
}
