package logpositions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// Reads are the reads of a user's positions in all lanes. A nil one reads nothing.
type Reads struct {
	store *Store
	user  string
	reads []read // by lane; none: they are not queued yet
}

// read has the positions that were read of one lane.
type read struct {
	written *redis.SliceCmd
	run     *redis.StringCmd // of the master that answered; lanes of one server share it
}

// Of returns the reads of a user's positions.
func (s *Store) Of(user string) *Reads {
	if s == nil {
		return nil
	}
	return &Reads{store: s, user: user}
}

// Queue queues the reads in a pipeline, behind the reads of the user's orders: an order that had left Redis by then is
// in SQL at one of the positions. Queue them again, or not at all, if orders are read later.
func (r *Reads) Queue(ctx context.Context, pipe redis.Pipeliner) {
	if r == nil {
		return
	}
	keys, field := r.store.lua.Keys, bucket(r.user)
	r.reads = make([]read, r.store.site.Lanes(ctx))
	for i := range r.reads {
		r.reads[i].written = pipe.HMGet(ctx, keys.Written(i+1), field, lua.FieldSince, lua.FieldRun)
	}
	_, cluster := r.store.lua.Redis.(*redis.ClusterClient)
	for i := range r.reads { // behind the positions, so that a server which is promoted in between tells its new run
		if i > 0 && !cluster {
			r.reads[i].run = r.reads[0].run
			continue
		}
		r.reads[i].run = lua.QueueRun(ctx, pipe, keys.Written(i+1), cluster)
	}
}

// Forget makes Positions read them anew.
func (r *Reads) Forget() {
	if r != nil {
		r.reads = nil
	}
}

// Positions returns the positions that a replica must have reached to be read for the user; it reads them if they are
// not queued. If they aren't known, as after a failover of Redis, they have "", which no replica reaches.
func (r *Reads) Positions(ctx context.Context) (positions []string, err error) {
	if r == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	if r.reads == nil {
		_, _ = r.store.lua.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error { // each read has its own error
			r.Queue(ctx, pipe)
			return nil
		})
	}
	for i := range r.reads {
		position, was, err := r.of(i)
		if err != nil {
			return []string{""}, fmt.Errorf("read the positions of moves: %w", err)
		}
		if positions = append(positions, position); position != "" {
			continue
		}
		if err := r.store.begin(ctx, i+1, was); err != nil {
			return []string{""}, err
		}
	}
	slices.Sort(positions)
	return slices.Compact(positions), nil
}

// of returns what was read for a lane, by its index: the position, "" if it is unknown, and since.
func (r *Reads) of(i int) (position string, was since, err error) {
	values, err := r.reads[i].written.Result()
	if err != nil {
		return "", was, err
	}
	if was.run, err = lua.Run(r.reads[i].run); err != nil {
		return "", was, err
	}
	was.value, _ = values[1].(string)
	was.valid = values[2] == was.run
	if !was.valid {
		return "", was, nil
	}
	position, known := values[0].(string)
	if !known && !strings.HasPrefix(was.value, unknown) {
		position = was.value
	}
	return position, was, nil
}

// Renew forgets positions that a replica did not reach and the primary doesn't have either: they come from a former
// primary whose last transactions were lost.
func (r *Reads) Renew(ctx context.Context) error {
	if r == nil {
		return nil
	}
	s := r.store
	now := s.now().UnixMilli()
	last := s.renewed.Load()
	if now >= last && now-last < renewEvery.Milliseconds() || !s.renewed.CompareAndSwap(last, now) {
		return nil
	}
	for i := range r.reads {
		position, was, err := r.of(i)
		if position == "" || err != nil { // Positions returned the error
			continue
		}
		if has, err := s.primary.Has(ctx, position); has || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		s.log.WarnContext(ctx, "the primary doesn't have what replicas have to reach; forgetting it",
			"lane", i+1, "position", position)
		if err := s.begin(ctx, i+1, was); err != nil {
			return err
		}
	}
	return nil
}
