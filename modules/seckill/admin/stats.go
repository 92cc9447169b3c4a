package admin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/order"
	ordercounts "onrush/modules/order/counts"
	"onrush/modules/order/queue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/sqldb"
)

// Stats are the current figures of one activity. Partial says that a store was unavailable: its figures are
// 0, except that the stock in SQL is as it was last read.
type Stats struct {
	ActivityID      string             `json:"activity_id"`
	ServerTime      api.Millis         `json:"server_time"`
	PausedAt        api.Millis         `json:"paused_at,omitzero"`
	Loaded          bool               `json:"loaded"`
	Stock           []StockStats       `json:"stock"`
	Placed          int64              `json:"placed"` // orders in the queue, not in SQL yet
	Unpaid          int64              `json:"unpaid"`
	Paid            int64              `json:"paid"`
	Cancelled       int64              `json:"cancelled"`
	Refunded        int64              `json:"refunded"`
	Failed          int64              `json:"failed"`
	OrdersPerSecond float64            `json:"orders_per_second"` // over the last ten full seconds
	Peak            *seckill.Peak      `json:"peak,omitempty"`    // of whole seconds
	Queue           QueueStats         `json:"queue"`             // of the activity's lane
	Answers         map[string]int64   `json:"answers"`           // by call and code, such as submit:sold_out
	Rooms           []RoomStats        `json:"rooms"`
	ShareSources    []ShareSourceStats `json:"share_sources"`
	WaitingRoom     *line.Length       `json:"waiting_room,omitempty"` // while Redis answers, if there is one
	Partial         bool               `json:"partial"`
}

// StockStats is the stock of a sku at a point, in units.
type StockStats struct {
	SKU       string `json:"sku_id"`
	Point     string `json:"point_id"`
	Total     int64  `json:"total"`
	Sold      int64  `json:"sold"`
	Remaining *int64 `json:"remaining,omitempty"` // among them Closed
	// Closed is how many units are of waves that open later, and NextWaveAt when the first of them opens.
	Closed     int64      `json:"closed,omitempty"`
	NextWaveAt api.Millis `json:"next_wave_at,omitzero"`
	// Reserved is how many of Remaining are still reserved for the buyers of reserved_for.
	Reserved int64 `json:"reserved,omitempty"`

	Held *int64 `json:"held,omitempty"` // neither left nor paid
	Paid *int64 `json:"paid,omitempty"`
}

// QueueStats describes the queue and the dead entries of a lane. OldestMS and OldestDeadMS are the ages of
// the oldest of each, in ms. Dead entries wait for an operator.
type QueueStats struct {
	Length       int64 `json:"length"`
	OldestMS     int64 `json:"oldest_ms"`
	Dead         int64 `json:"dead"`
	OldestDeadMS int64 `json:"oldest_dead_ms"`
}

// RoomStats counts the stored orders of a room.
type RoomStats struct {
	Room   string `db:"name" json:"room_id"`
	Orders int64  `db:"n" json:"orders"`
}

// ShareSourceStats counts the stored orders of a share source.
type ShareSourceStats struct {
	Source string `db:"name" json:"share_source"`
	Orders int64  `db:"n" json:"orders"`
}

// maxGroups bounds how many rooms, and how many share sources, the figures contain.
const maxGroups = 100

const (
	// statsWithin bounds the reads from Redis, so that while it is unavailable SQL's figures are shown.
	statsWithin = 500 * time.Millisecond
	// sqlStatsWithin bounds each read from SQL, so that while it is unavailable Redis's figures are shown.
	sqlStatsWithin = time.Second
)

// Reporter reads the current figures of activities.
type Reporter struct {
	db       *sqldb.DB
	lua      *lua.Scripts
	counts   *seckill.StockCache
	counters *seckill.AnswerCounters
	clock    *clock.Clock
}

// NewReporter returns a Reporter.
func NewReporter(d Deps, counts *seckill.StockCache, counters *seckill.AnswerCounters) *Reporter {
	return &Reporter{db: d.DB, lua: d.Lua, counts: counts, counters: counters, clock: d.Clock}
}

// Stats returns the figures of an activity. sqlAway says that SQL was unavailable when the activity was read;
// then only Redis is queried. If no store answers, the error is unavailable.
func (r *Reporter) Stats(ctx context.Context, a *seckill.Activity, sqlAway bool) (*Stats, error) {
	s := &Stats{
		ActivityID: a.ID, ServerTime: api.Millis(r.clock.NowMS()), PausedAt: api.Millis(a.PausedMS),
		Answers: map[string]int64{}, Rooms: []RoomStats{}, ShareSources: []ShareSourceStats{},
	}
	for _, g := range a.SKUs {
		for _, p := range g.Stock {
			of := StockStats{SKU: g.SKU, Point: p.Point, Total: p.Total, Sold: p.Sold}
			of.wave(g.Waves, int64(s.ServerTime))
			s.Stock = append(s.Stock, of)
		}
	}
	sqlErr := errSQLAway
	if !sqlAway {
		sqlCtx, cancel := context.WithTimeout(ctx, sqlStatsWithin)
		sqlErr = r.fromSQL(sqlCtx, a, s)
		cancel()
	}
	var redisErr error
	if a.Lane != 0 {
		redisCtx, cancel := context.WithTimeout(ctx, statsWithin)
		redisErr = r.fromRedis(redisCtx, a, s)
		cancel()
	}
	if sqlErr != nil && (redisErr != nil || a.Lane == 0) {
		return nil, problem.Unavailable(errors.Join(sqlErr, redisErr), "The figures can't be read right now.")
	}
	s.Partial = sqlErr != nil || redisErr != nil
	return s, nil //nolint:nilerr // Partial says that a store did not answer
}

var errSQLAway = errors.New("the activity could not be read from SQL")

func (r *Reporter) fromSQL(ctx context.Context, a *seckill.Activity, s *Stats) error {
	return r.db.InView(ctx, func(tx *sqlx.Tx) error {
		counts, err := ordercounts.Statuses(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		s.Unpaid, s.Paid, s.Cancelled = counts.Unpaid, counts.Paid, counts.Cancelled
		s.Failed, s.Refunded = counts.Failed, counts.Refunded
		const most = `SELECT name, n FROM activity_counts WHERE activity_id = ? AND counted = ?
			ORDER BY n DESC, name LIMIT ?`
		if err := tx.SelectContext(ctx, &s.Rooms, most, a.ID, order.CountedRoom, maxGroups); err != nil {
			return fmt.Errorf("select orders by room: %w", err)
		}
		if err := tx.SelectContext(ctx, &s.ShareSources, most, a.ID, order.CountedShareSource, maxGroups); err != nil {
			return fmt.Errorf("select orders by share source: %w", err)
		}
		return nil
	})
}

func (r *Reporter) fromRedis(ctx context.Context, a *seckill.Activity, s *Stats) error {
	left, err := r.counts.All(ctx, a, 0)
	if err != nil {
		return err
	}
	s.Loaded = left.Loaded
	if left.Loaded {
		for i := range s.Stock {
			of := &s.Stock[i]
			remaining, paid := left.At(of.SKU, of.Point), left.PaidAt(of.SKU, of.Point)
			held := max(of.Total-remaining-paid, 0) // the total is SQL's: a stock change may be under way
			of.Remaining, of.Held, of.Paid = &remaining, &held, &paid
			of.Reserved = left.ReservedAt(a, of.SKU, of.Point, int64(s.ServerTime))
		}
	}
	var dead *redis.IntCmd
	var head func(nowMS int64) (*queue.Head, error)
	var room func() (*line.Length, error)
	var peak func() (*seckill.Peak, error)
	_, err = r.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		head = queue.ReadHead(ctx, p, r.lua, a.Lane, maxScanned)
		dead = p.HLen(ctx, r.lua.Keys.Dead(a.Lane))
		peak = r.counters.ReadPeak(ctx, p, a.Lane, a.ID)
		room = line.ReadLength(ctx, p, r.lua.Keys, a.LineSale(), r.clock.NowMS())
		return nil
	})
	if err != nil && err != redis.Nil { //nolint:errorlint // go-redis returns it bare
		return fmt.Errorf("read queue of lane %d: %w", a.Lane, err)
	}
	if s.WaitingRoom, err = room(); err != nil {
		return err
	}
	if s.Peak, err = peak(); err != nil {
		return err
	}
	first, err := head(r.clock.NowMS())
	if err != nil {
		return err
	}
	s.Queue.Length, s.Queue.OldestMS, s.Placed = first.Length, first.OldestMS, first.Placed(a.ID)
	if s.Queue.Dead = dead.Val(); s.Queue.Dead > 0 {
		now := time.UnixMilli(r.clock.NowMS())
		if s.Queue.OldestDeadMS, err = queue.DeadAge(ctx, r.lua, a.Lane, now); err != nil {
			return err
		}
	}
	answers, err := r.counters.Answers(ctx, a)
	if err != nil {
		return err // Answers stays empty, not nil
	}
	s.Answers = answers
	rate, err := r.counters.Rate(ctx, a)
	s.OrdersPerSecond = rounded(rate)
	return err
}

// rounded returns a rate with one decimal.
func rounded(rate float64) float64 { return math.Round(rate*10) / 10 }

// maxScanned bounds how many entries of a queue are read for the figures.
const maxScanned = 20_000
