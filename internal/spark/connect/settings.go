package connect

import (
	"context"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// settings are the session's settings on the server.
type settings struct{ *link }

// Set changes settings of the session, such as spark.sql.adaptive.enabled. The server's warnings are logged.
func (s *settings) Set(ctx context.Context, all map[string]string) error {
	set := new(protocol.ConfigRequest_Set)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value := all[key]
		set.Pairs = append(set.Pairs, &protocol.KeyValue{Key: key, Value: &value})
	}
	_, err := s.config(ctx, "change settings", &protocol.ConfigRequest_Operation{
		OpType: &protocol.ConfigRequest_Operation_Set{Set: set}})
	return err
}

// Get reads settings. It leaves out settings without a value and without a default.
func (s *settings) Get(ctx context.Context, keys ...string) (map[string]string, error) {
	answer, err := s.config(ctx, "read settings", &protocol.ConfigRequest_Operation{
		OpType: &protocol.ConfigRequest_Operation_GetOption{GetOption: &protocol.ConfigRequest_GetOption{Keys: keys}}})
	found := make(map[string]string)
	for _, pair := range answer.GetPairs() {
		if pair.Value != nil {
			found[pair.Key] = *pair.Value
		}
	}
	return found, err
}

func (s *settings) config(ctx context.Context, what string,
	op *protocol.ConfigRequest_Operation) (*protocol.ConfigResponse, error) {
	answer, err := call[protocol.ConfigResponse](ctx, s.link, "Config", what, &protocol.ConfigRequest{SessionId: s.id,
		UserContext: s.user(), Operation: op, ClientType: s.client(), ClientObservedServerSideSessionId: s.observed()})
	for _, warning := range answer.GetWarnings() {
		s.options.Log.Warn("Spark: "+warning, "server", s.address.Server())
	}
	return answer, err
}
