package delivery

import (
	"context"
	"time"
)

// Lag is how far an enabled endpoint is behind.
type Lag struct {
	Endpoint string
	Events   int64         // that it has not got yet, whatever their types
	Failing  time.Duration // since its first failure after a success; 0 if it doesn't fail
	Disabled bool          // the program disabled it after failures
}

// Lags returns how far the endpoints are behind, without those that operators disabled.
func (s *Service) Lags(ctx context.Context) ([]Lag, error) {
	head, err := s.feed.Head(ctx)
	if err != nil {
		return nil, err
	}
	var rows []endpointRow
	const query = `SELECT endpoint_id, after_id, waiting, failing_since_ms, disabled_reason FROM endpoints
		WHERE enabled = 1 OR disabled_reason <> '' ORDER BY endpoint_id`
	if err := s.db.Read.SelectContext(ctx, &rows, query); err != nil {
		return nil, err
	}
	lags := make([]Lag, len(rows))
	for i, row := range rows {
		lags[i] = Lag{
			Endpoint: row.ID, Events: max(head-row.After, 0) + row.Waiting, Disabled: row.DisabledReason != "",
		}
		if row.FailingSince > 0 {
			lags[i].Failing = max(s.now().Sub(time.UnixMilli(row.FailingSince)), 0)
		}
	}
	return lags, nil
}
