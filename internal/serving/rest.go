package serving

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// platform is the platform of all models in the protocol.
const platform = "dl4go"

// extensions returns the extensions of the protocol that are supported.
func extensions() []string { return []string{"binary_tensor_data"} }

// rest serves requests over HTTP.
type rest struct {
	*Repository
	options Options
	held    *budget
	mux     *http.ServeMux
}

// handler returns the handler of all paths.
func (s *rest) handler() http.Handler {
	mux := http.NewServeMux()
	s.mux = mux
	alive := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	mux.HandleFunc("GET /v2/health/live", alive)
	mux.HandleFunc("GET /v2/health/ready", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, map[string]any{"ready": true, "models": s.health()})
	})
	mux.HandleFunc("GET /v2", s.server)
	mux.HandleFunc("GET /v2/{$}", s.server)
	mux.HandleFunc("POST /v2/repository/index", s.index)
	mux.HandleFunc("GET /v2/repository/index", s.index)
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("GET /openapi.json", s.openAPI)
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc(others, s.unknown)
	for _, version := range []string{"", "/versions/{version}"} {
		mux.HandleFunc("GET /v2/models/{model}"+version, s.metadata)
		mux.HandleFunc("GET /v2/models/{model}"+version+"/ready", s.ready)
		mux.HandleFunc("POST /v2/models/{model}"+version+"/infer", s.infer)
		mux.HandleFunc("POST /v1/models/{model}"+version, s.predict)
	}
	return s.withLog(s.guard(mux))
}

// others is the pattern of all requests that match no other pattern.
const others = "/"

// unknown answers a request whose path does not exist, or does not accept its method.
func (s *rest) unknown(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if _, pattern := s.mux.Handler(&http.Request{Method: method, Host: r.Host, URL: r.URL}); pattern != others {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil {
		write(w, http.StatusNotFound, map[string]string{"error": "there is no such path; GET /openapi.json lists them"})
		return
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	write(w, http.StatusMethodNotAllowed, map[string]string{"error": "the path takes " + list + ", not " + r.Method})
}

// free reports whether a request needs no token: health checks do not, nor does the page, which shows nothing of the
// models.
func free(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/v2/health/") || r.URL.Path == "/"
}

// guard checks the token of a request, and limits its size and time.
func (s *rest) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.options.allowed(r.Header.Get("Authorization")) && !free(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			write(w, http.StatusUnauthorized, map[string]string{"error": errToken.Error()})
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
		defer cancel()
		r.Body = http.MaxBytesReader(w, r.Body, s.options.MaxRequest)
		body, err := unpacked(r)
		if err != nil {
			fail(w, err)
			return
		}
		part := &share{of: s.held}
		defer part.free()
		r.Body = &metered{http.MaxBytesReader(w, body, s.options.MaxRequest), part}
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, shareKey{}, part)))
	})
}

// unpacked returns the decompressed body of a request.
func unpacked(r *http.Request) (io.ReadCloser, error) {
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		body, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, badf("the body is not gzip, as Content-Encoding says: %w", err)
		}
		return body, nil
	case "deflate":
		body, err := zlib.NewReader(r.Body)
		if err != nil {
			return nil, badf("the body is not zlib, as Content-Encoding says: %w", err)
		}
		return body, nil
	default:
		return nil, badf("the Content-Encoding is %q; gzip and deflate can be read", encoding)
	}
}

// write responds with JSON.
func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

// fail responds with an error.
func fail(w http.ResponseWriter, err error) {
	code := outcomeOf(err).http()
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		code = http.StatusRequestEntityTooLarge
		err = fmt.Errorf("the request has more than %d bytes; send fewer examples at a time", large.Limit)
	}
	if code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	write(w, code, map[string]string{"error": err.Error()})
}

func (s *rest) server(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]any{"name": platform, "version": s.options.Version, "extensions": extensions()})
}

// health returns the states of the models. If a token is required, it omits the reasons, which name files.
func (s *rest) health() []State {
	list := s.States()
	for i := range list {
		if s.options.Token != "" && list[i].Reason != "" {
			list[i].Reason = staleFile
		}
	}
	return list
}

func (s *rest) index(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, s.States()) }

func (s *rest) ready(w http.ResponseWriter, r *http.Request) {
	_, done, err := s.use(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		fail(w, err)
		return
	}
	done()
	w.WriteHeader(http.StatusOK)
}

func (s *rest) metadata(w http.ResponseWriter, r *http.Request) {
	m, done, err := s.use(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		fail(w, err)
		return
	}
	defer done()
	names := m.predictor.Names()
	write(w, http.StatusOK, map[string]any{"name": m.Name, "versions": s.Versions(m.Name), "platform": platform,
		"inputs": m.Inputs, "outputs": m.Outputs,
		"parameters": map[string]any{"columns": columnNames(m), "labels": names.Labels, "classes": names.Classes}})
}

// columnNames returns the names of a model's input columns; nil if it has none.
func columnNames(m *Model) (list []string) {
	for _, c := range m.predictor.Columns() {
		list = append(list, c.Name)
	}
	return list
}

// predict answers rows of named columns, {"rows": [{"COLUMN": VALUE, …}, …]} or one row, or sequences.
func (s *rest) predict(w http.ResponseWriter, r *http.Request) {
	name, version, verb := r.PathValue("model"), r.PathValue("version"), ""
	if version == "" {
		name, verb, _ = strings.Cut(name, ":")
	} else {
		version, verb, _ = strings.Cut(version, ":")
	}
	if verb != "predict" {
		write(w, http.StatusNotFound, map[string]string{"error": "POST /v1/models/NAME:predict answers about rows"})
		return
	}
	body, err := bodyOf(r)
	if err != nil {
		fail(w, err)
		return
	}
	answers, err := s.Answer(r.Context(), name, version, body)
	if err != nil {
		fail(w, err)
		return
	}
	write(w, http.StatusOK, map[string]any{"predictions": answers})
}
