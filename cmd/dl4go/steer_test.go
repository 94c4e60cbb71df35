package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
)

// TestSteering presses the buttons of a live page while processes train, with both training masters. It lowers the
// learning rate. After an epoch with the new rate, it ends the run, which saves its model. The link for watching may do
// neither.
func TestSteering(t *testing.T) {
	for _, training := range []string{"averaging", "sharing"} {
		t.Run(training, func(t *testing.T) { steerRun(t, training) })
	}
}

func steerRun(t *testing.T, training string) {
	save := filepath.Join(t.TempDir(), "model.zip")
	root := rootCommand("train", "--json", "--ui", "--training", training, "--master", "processes[2]", "--model",
		"softmax", "--data", "digits:train", "--learning-rate", "0.05", "--epochs", "1000000", "--save", save)
	from, to := io.Pipe()
	root.SetOut(to)
	root.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(t.Context())
		to.CloseWithError(err)
		ended <- err
	}()
	var control, watch string
	lowered, asked := false, false
	for events := json.NewDecoder(from); ; {
		var e struct {
			Event, URL, WatchURL string
			By, LearningRate     float64
		}
		if err := events.Decode(&e); err != nil {
			break
		}
		switch e.Event {
		case "ui":
			control, watch = e.URL, e.WatchURL
			press(t, watch, "/end", nil, http.StatusForbidden, "watch only")
			press(t, control, "/learning-rate", url.Values{"by": {"2"}}, http.StatusBadRequest, "between 0 and 1")
			press(t, control, "/learning-rate", url.Values{"by": {"0.5"}}, http.StatusOK, "multiplied by 0.5")
		case "learningRate":
			if lowered = true; e.By != 0.5 || !near.Equal(e.LearningRate, 0.025, 0, 1e-6) {
				t.Errorf("lowered: %+v", e)
			}
		case "epoch":
			if lowered && !asked {
				asked = true
				press(t, control, "/end", nil, http.StatusOK, "ends after the step")
			}
		}
	}
	if err := <-ended; err != nil || !asked {
		t.Fatalf("the run ended with %v, asked to %v", err, asked)
	}
	net, err := nn.LoadNetwork(t.Context(), save)
	if err != nil {
		t.Fatal(err)
	}
	if rate, ok := net.LearningRate(net.Iteration(), net.Epoch()); !ok || !near.Equal(rate, 0.025, 0, 1e-6) {
		t.Errorf("the model has the rate %v", rate)
	}
}

// press sends the request of a button, with the token of a page's URL.
func press(t *testing.T, page, path string, form url.Values, code int, wants string) {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://%s%s", u.Host, path),
		strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+u.Query().Get("token"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != code || !strings.Contains(string(text), wants) {
		t.Errorf("%s: %s %s, %v", path, answer.Status, text, err)
	}
}
