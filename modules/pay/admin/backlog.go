package admin

import (
	"context"
	"fmt"
	"time"
)

// maxCounted bounds the rows of a kind that Backlog counts: a million pending payments must not make it slow.
const maxCounted = 10_000

// Backlog is what waits of one channel. Counts end at 10,000.
type Backlog struct {
	Channel         string
	Payments        int64         // that are pending
	OverduePayment  time.Duration // how long the time to pay of one of them has been over, at most
	Refunds         int64         // that are pending
	OldestRefund    time.Duration // age of the oldest of them
	FailedRefunds   int64         // that were given up
	FlaggedPayments int64         // payments with a flag
}

// counted is a row of a count.
type counted struct {
	Channel  string `db:"channel"`
	Rows     int64  `db:"counted"`
	OldestMS int64  `db:"oldest_ms"` // of a payment the end of its time to pay, of a refund its creation
}

// Backlog returns what waits, by channel; a channel without anything has no entry.
func (s *Service) Backlog(ctx context.Context) (map[string]*Backlog, error) {
	now, all := s.now(), map[string]*Backlog{}
	of := func(channel string) *Backlog {
		if all[channel] == nil {
			all[channel] = &Backlog{Channel: channel}
		}
		return all[channel]
	}
	age := func(ms int64) time.Duration { return max(now.Sub(time.UnixMilli(ms)), 0) }
	for _, count := range []struct {
		of  string // rows, oldest first
		add func(counted)
	}{
		{
			`SELECT channel, expires_ms AS at_ms FROM payments WHERE status = 'pending' ORDER BY pay_number`,
			func(c counted) {
				of(c.Channel).Payments, of(c.Channel).OverduePayment = c.Rows, age(c.OldestMS)
			},
		},
		{
			`SELECT channel, created_ms AS at_ms FROM refunds WHERE status = 'pending' ORDER BY refund_number`,
			func(c counted) {
				of(c.Channel).Refunds, of(c.Channel).OldestRefund = c.Rows, age(c.OldestMS)
			},
		},
		{
			`SELECT channel, created_ms AS at_ms FROM refunds WHERE status = 'failed' ORDER BY refund_number`,
			func(c counted) {
				of(c.Channel).FailedRefunds = c.Rows
			},
		},
		{
			`SELECT channel, created_ms AS at_ms FROM payments WHERE flag > '' ORDER BY flag, pay_number`,
			func(c counted) {
				of(c.Channel).FlaggedPayments = c.Rows
			},
		},
	} {
		var rows []counted
		query := `SELECT channel, COUNT(*) AS counted, MIN(at_ms) AS oldest_ms
			FROM (` + count.of + ` LIMIT ?) AS waiting GROUP BY channel`
		if err := s.db.Read.SelectContext(ctx, &rows, query, maxCounted); err != nil {
			return nil, fmt.Errorf("count payments and refunds that wait: %w", err)
		}
		for _, row := range rows {
			count.add(row)
		}
	}
	return all, nil
}
