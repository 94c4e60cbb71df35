package mlflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Error is an error response of the server.
type Error struct {
	Status        int
	Code, Message string // MLflow's, such as RESOURCE_DOES_NOT_EXIST
	remedy        string // of a refusal
}

// Error returns the server's message, shortened.
func (e *Error) Error() string {
	text := strings.Join(strings.Fields(e.Message), " ")
	if len(text) > 300 {
		text = shorten(text, 300) + "…"
	}
	if e.remedy != "" {
		return strings.TrimRight(fmt.Sprintf("it refuses access (%d): %s", e.Status, text), " :") + "; " + e.remedy
	}
	return strings.TrimRight(fmt.Sprintf("it answers %d %s: %s", e.Status, e.Code, text), " :")
}

// remedy tells what to do if the server refuses access.
func (s *Settings) remedy() string {
	switch {
	case s.Token != "":
		return "check MLFLOW_TRACKING_TOKEN"
	case s.User != "":
		return "check MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
	}
	return "set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
}

// temporary reports whether another attempt may help.
func temporary(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return true
	}
	return e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
}

func hasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// mostAnswer is the maximum number of bytes that are read of a response.
const mostAnswer = 16 << 20

// call sends a request to the REST interface and reads the response. progress is called when the server has responded.
func (r *recording) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	answer, err := r.send(ctx, method, "api/2.0/mlflow/"+path, query, body, -1)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("its answer to %s is not JSON of MLflow (%w); check that MLFLOW_TRACKING_URI is the URL of a "+
			"tracking server", path, err)
	}
	return nil
}

// send makes one request. size is that of the body; -1 if the body is in memory.
func (r *recording) send(ctx context.Context, method, path string, query url.Values, body io.Reader,
	size int64) ([]byte, error) {
	to := r.Server.JoinPath(path)
	to.RawQuery = query.Encode()
	q, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, err
	}
	switch {
	case size >= 0:
		q.ContentLength = size
	case body != nil:
		q.Header.Set("Content-Type", "application/json")
	}
	if r.Token != "" {
		q.Header.Set("Authorization", "Bearer "+r.Token)
	} else if r.User != "" {
		q.SetBasicAuth(r.User, r.Password)
	}
	a, err := r.Client.Do(q)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) { // the URL is in our error already
			err = u.Err
		}
		return nil, err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(io.LimitReader(a.Body, mostAnswer))
	if err != nil {
		return nil, err
	}
	r.progress()
	if a.StatusCode < 200 || a.StatusCode > 299 {
		e := &Error{Status: a.StatusCode}
		if a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden {
			e.remedy = r.remedy()
		}
		var said struct {
			Code    string `json:"error_code"`
			Message string `json:"message"`
		}
		if json.Unmarshal(b, &said) == nil {
			e.Code, e.Message = said.Code, said.Message
		}
		return nil, e
	}
	return b, nil
}
