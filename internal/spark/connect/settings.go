package connect

import (
	"context"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// Set changes settings of the session, such as spark.sql.adaptive.enabled. The server's warnings are logged.
func (s *Session) Set(ctx context.Context, settings map[string]string) error {
	set := new(protocol.ConfigRequest_Set)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		value := settings[key]
		set.Pairs = append(set.Pairs, &protocol.KeyValue{Key: key, Value: &value})
	}
	_, err := s.config(ctx, "change settings", &protocol.ConfigRequest_Operation{
		OpType: &protocol.ConfigRequest_Operation_Set{Set: set}})
	return err
}

// Get reads settings. What has no value, and no default, is left out.
func (s *Session) Get(ctx context.Context, keys ...string) (map[string]string, error) {
	answer, err := s.config(ctx, "read settings", &protocol.ConfigRequest_Operation{
		OpType: &protocol.ConfigRequest_Operation_GetOption{GetOption: &protocol.ConfigRequest_GetOption{Keys: keys}}})
	settings := make(map[string]string)
	for _, pair := range answer.GetPairs() {
		if pair.Value != nil {
			settings[pair.Key] = *pair.Value
		}
	}
	return settings, err
}

func (s *Session) config(ctx context.Context, what string,
	op *protocol.ConfigRequest_Operation) (*protocol.ConfigResponse, error) {
	answer, err := call[protocol.ConfigResponse](ctx, s, "Config", what, &protocol.ConfigRequest{SessionId: s.id,
		UserContext: s.user(), Operation: op, ClientType: s.client(), ClientObservedServerSideSessionId: s.observed()})
	for _, warning := range answer.GetWarnings() {
		s.options.Log.Warn("Spark: "+warning, "server", s.address.Server())
	}
	return answer, err
}
