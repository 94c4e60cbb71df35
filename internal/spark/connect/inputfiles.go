package connect

import (
	"context"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// InputFiles lists the files of a relation of Files, including empty ones, as percent-encoded URLs in no order.
func (a *analysis) InputFiles(ctx context.Context, r Relation) ([]string, error) {
	if r.err != nil {
		return nil, r.err
	}
	answer, err := a.analyze(ctx, "list files", &protocol.AnalyzePlanRequest{
		Analyze: &protocol.AnalyzePlanRequest_InputFiles_{
			InputFiles: &protocol.AnalyzePlanRequest_InputFiles{Plan: root(r)}}})
	return answer.GetInputFiles().GetFiles(), err
}
