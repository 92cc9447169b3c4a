package server

import (
	"context"
	"errors"
	"hash/fnv"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/app/schema"
	"onrush/modules/aged"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/web"
)

const (
	// writeEvery is the age from which it is checked again whether a store takes writes.
	writeEvery = time.Second
	// writeWithin bounds one write, and is for how long a successful one counts while the next is slow.
	writeWithin = 3 * time.Second
	// answerWithin is how long a check waits for the write, so that readiness still gets the reason.
	answerWithin = 400 * time.Millisecond
	// writeSlots is how many rows the checks of all instances write in SQL.
	writeSlots = 256
)

// storeCheck checks that a store answers, and that it takes writes. All callers together make one write a second.
type storeCheck struct {
	ping, write func(context.Context) error

	cfg  aged.Config
	last aged.Copy[written]
}

// written is the outcome of a write. The outcome of a failed write is kept, too, so that all callers who ask get its
// error.
type written struct{ err error }

func newStoreCheck(name string, ping, write func(context.Context) error) *storeCheck {
	return &storeCheck{ping: ping, write: write, cfg: aged.Config{
		What: "write to " + name, Now: time.Now, Within: writeWithin, Pause: writeEvery,
	}}
}

func (s *storeCheck) check(ctx context.Context) error {
	if err := s.ping(ctx); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	last, err := s.last.Get(within, &s.cfg, writeEvery, func(ctx context.Context) (written, error) {
		return written{s.write(ctx)}, nil
	})
	if within.Err() != nil { // nobody waits for a slow write
		if lately, ok := s.last.Known(&s.cfg, writeWithin); ok {
			return lately.err
		}
		if ctx.Err() == nil {
			return &problem.NoWritesError{Reason: "writes don't end", Err: err}
		}
	}
	if err != nil {
		return err
	}
	return last.err
}

// storeChecks returns a check of each store, for the instance with a name.
func storeChecks(cfg *Config, p Parts, of *site.Site, name string) map[string]web.Check {
	slot := fnv.New32a()
	_, _ = slot.Write([]byte(name)) // it returns no error
	_, cluster := p.Redis.(*redis.ClusterClient)
	keys := func(ctx context.Context) []string {
		keys := []string{p.Keys.WriteCheck(1)}
		for lane := 2; cluster && lane <= of.Lanes(ctx); lane++ {
			keys = append(keys, p.Keys.WriteCheck(lane))
		}
		return keys
	}
	return map[string]web.Check{
		"redis": newStoreCheck("redis", func(ctx context.Context) error { return redisdb.Ping(ctx, p.Redis) },
			func(ctx context.Context) error {
				if err := redisdb.CheckWrite(ctx, p.Redis, keys(ctx)...); err != nil {
					return err
				}
				if err := redisdb.CheckInfo(ctx, p.Redis); err != nil {
					return err
				}
				if err := redisdb.CheckTakes(ctx, p.Redis); err != nil || cfg.RedisReplicas == 0 {
					return err
				}
				return redisdb.CheckReplicas(ctx, p.Redis, cfg.RedisReplicas)
			}).check,
		"sql": newStoreCheck("sql", p.DB.Read.PingContext, func(ctx context.Context) error {
			if err := checkSchema(ctx, p.DB); err != nil { // nothing is written under another schema
				return err
			}
			return p.DB.CheckWrite(ctx, int(slot.Sum32()%writeSlots), p.Now().UnixMilli())
		}).check,
	}
}

// checkSchema fails if SQL answers and its schema isn't this program's: it has another one, or changes are missing. An
// instance that runs may be led to such a database by a restore or a failover.
func checkSchema(ctx context.Context, db *sqldb.DB) error {
	state, err := schema.Read(ctx, db)
	_, foreign := errors.AsType[*schema.ForeignError](err)
	switch {
	case errors.Is(err, schema.ErrBusy): // a rollout waits, and the instances before it serve
		return err
	case foreign:
		return &problem.NoWritesError{Reason: "another schema", Err: err}
	case err == nil && state.Lacks > 0:
		return &problem.NoWritesError{Reason: "schema incomplete", Err: errors.New("changes of the schema are missing")}
	}
	return nil // the checks of the stores say whether SQL answers
}
