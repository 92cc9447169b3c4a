package positions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/deadline"
)

// Reads are the reads of a user's positions in all lanes. A nil one reads nothing.
type Reads struct {
	store *Store
	user  string
	reads []*redis.SliceCmd // by lane; none: they are not queued yet
}

// Of returns the reads of a user's positions.
func (s *Store) Of(user string) *Reads {
	if s == nil {
		return nil
	}
	return &Reads{store: s, user: user}
}

// Queue queues the reads in a pipeline, behind those of the user's orders: an order that had left Redis by then is in
// SQL at one of the positions. Queue them again, or not at all, if orders are read later.
func (r *Reads) Queue(ctx context.Context, pipe redis.Pipeliner) {
	if r == nil {
		return
	}
	r.reads = make([]*redis.SliceCmd, r.store.site.Lanes(ctx))
	for i := range r.reads {
		r.reads[i] = pipe.HMGet(ctx, r.store.lua.Keys.Written(i+1), bucket(r.user), lua.FieldSince)
	}
}

// Forget makes Positions read them anew.
func (r *Reads) Forget() {
	if r != nil {
		r.reads = nil
	}
}

// Positions returns the positions that a replica must have reached to be read for the user; it reads them if they are
// not queued. If they aren't known, as after Redis lost its data, they have "", which no replica reaches.
func (r *Reads) Positions(ctx context.Context) (positions []string, err error) {
	if r == nil {
		return nil, nil
	}
	ctx, cancel := deadline.Within(ctx, readWithin)
	defer cancel()
	if r.reads == nil {
		if _, err := r.store.lua.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			r.Queue(ctx, pipe)
			return nil
		}); err != nil {
			return []string{""}, fmt.Errorf("read the positions of moves: %w", err)
		}
	}
	for i, read := range r.reads {
		if err := read.Err(); err != nil {
			return []string{""}, fmt.Errorf("read the positions of moves: %w", err)
		}
		position, since := r.of(i)
		if positions = append(positions, position); position != "" {
			continue
		}
		if err := r.store.begin(ctx, i+1, since); err != nil {
			return []string{""}, err
		}
	}
	slices.Sort(positions)
	return slices.Compact(positions), nil
}

// of returns what was read for a lane, by its index: the position, "" if it is unknown, and since.
func (r *Reads) of(i int) (position, since string) {
	values := r.reads[i].Val()
	if len(values) == 0 { // the read failed
		return "", ""
	}
	since, _ = values[1].(string)
	position, known := values[0].(string)
	if !known && !strings.HasPrefix(since, unknown) {
		position = since
	}
	return position, since
}

// Renew forgets positions that a replica did not reach and the primary doesn't have either: those of a former primary
// whose last transactions were lost.
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
		position, since := r.of(i)
		if position == "" {
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
		if err := s.begin(ctx, i+1, since); err != nil {
			return err
		}
	}
	return nil
}
