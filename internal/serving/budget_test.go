package serving

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/dl4go/dl4go/internal/serving/protocol"
)

// TestHeld: requests whose bodies and answers need more than the remaining memory get 429 and RESOURCE_EXHAUSTED, and
// those that can never fit 400. All memory is free again when the requests have ended.
func TestHeld(t *testing.T) {
	const most = 600
	s, answers := blocked(t, newGate(), Options{MaxHeld: most})
	large := []byte(strings.Repeat(" ", most-200) + jsonQuestion)
	code, header, text := s.post("/v2/models/m/infer", large)
	if code != http.StatusTooManyRequests || header.Get("Retry-After") == "" ||
		!strings.Contains(string(text), "--max-held") {
		t.Errorf("while memory is taken: %d %s", code, text)
	}
	q := &pb.ModelInferRequest{ModelName: "m", Id: strings.Repeat("x", most-50)}
	err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", q, &pb.ModelInferResponse{})
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "--max-held") {
		t.Errorf("gRPC while memory is taken: %v", err)
	}
	if got := answers(); got != [2]int{200, 200} {
		t.Errorf("the requests that came first: %v", got)
	}
	if code, _, text := s.post("/v2/models/m/infer", large[100:]); code != http.StatusOK {
		t.Errorf("when it is free: %d %s", code, text)
	}
	for _, body := range []string{strings.Repeat(" ", most+1), `{"rows":[` + strings.Repeat(`{"a":1,"b":2,"c":3},`, 11) +
		`{"a":1,"b":2,"c":3}]}`} {
		code, _, text = s.post("/v1/models/m:predict", []byte(body))
		if code != http.StatusBadRequest || !strings.Contains(string(text), "fewer examples") {
			t.Errorf("%d bytes: %d %s", len(body), code, text)
		}
	}
}
