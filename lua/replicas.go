package lua

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Confirm says which replicas must have a batch before its orders count as placed. The zero value asks none.
type Confirm struct {
	// Replicas of the lane's master that must have it. A failover loses it only if it promotes another replica, so a
	// master should have no more replicas than these.
	Replicas int
	// Within bounds the wait for them. An earlier deadline of the caller applies.
	Within time.Duration
	// Files says that it must be in the append-only files of the master and of these replicas, too. It needs Redis 7.2.
	Files bool
}

const (
	// maxRoutes bounds how often a batch is sent while a cluster answers that another master has the lane, or that it
	// can't say yet which one. Redis has run nothing then.
	maxRoutes = 5
	// routeAgain is the wait before the second time; it doubles.
	routeAgain = 20 * time.Millisecond
	// answerWithin is how long before the deadline of the caller the wait ends, so that the answer still arrives.
	answerWithin = 50 * time.Millisecond
	// confirmedFor is how long the key remains that is written to confirm what was written before.
	confirmedFor = time.Minute
)

// notRun are the beginnings of answers of Redis to a script that it has not run, but soon may, here or elsewhere.
var notRun = []string{"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "LOADING", "MASTERDOWN"}

// placeConfirmed makes calls of one lane. A write and a WAIT follow in the same round trip, over the same connection.
// So they are about the server that ran the scripts, whichever is the master by then, and cost all orders one WAIT. A
// WAIT alone would not be about orders that a script only read.
func (s *Scripts) placeConfirmed(ctx context.Context, calls []*PlaceCall) []PlaceReply {
	lane, confirm := calls[0].Lane, calls[0].Confirm
	sent := make([]*redis.Cmd, len(calls))
	var write, wait *redis.Cmd
	send := func(script func(context.Context, redis.Scripter, []string, ...any) *redis.Cmd) error {
		return s.onMaster(ctx, s.Keys.LockLog(lane), func(pipe redis.Pipeliner) *redis.Cmd {
			for i, call := range calls {
				keys, args := s.placeInput(call)
				sent[i] = script(ctx, pipe, keys, args...)
			}
			write, wait = s.mark(ctx, pipe, lane), confirm.add(ctx, pipe)
			return sent[0]
		})
	}
	err := send(decrementStock.EvalSha)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		err = send(decrementStock.Eval)
	}
	confirmed := false
	if sent[0] != nil {
		confirmed, err = confirm.reached(wait)
	}
	replies := make([]PlaceReply, len(calls))
	for i, call := range calls {
		r := &replies[i]
		if sent[i] == nil { // no master of the lane is known
			r.Err = err
			continue
		}
		if r.NowMS, r.Results, r.Err = placeReply(call, sent[i]); r.Err == nil && err != nil {
			r.Results, r.Err = nil, fmt.Errorf("place orders of activity %s: %w", call.Activity, err)
		}
		markUnconfirmed(r.Results, confirmed, write.Err() == nil)
	}
	return replies
}

// mark writes something that replicas get after all that was written before.
func (s *Scripts) mark(ctx context.Context, pipe redis.Pipeliner, lane int) *redis.Cmd {
	return pipe.Do(ctx, "set", s.Keys.WriteCheck(lane), 1, "px", confirmedFor.Milliseconds())
}

// markUnconfirmed marks the orders that are only in Redis and that too few replicas have. On a full Redis the write
// after the script fails; the WAIT is about an order that the script read if the script wrote another one.
func markUnconfirmed(results []PlaceResult, confirmed, written bool) {
	placed := slices.ContainsFunc(results, func(r PlaceResult) bool { return r.Code == Placed })
	if confirmed && (written || placed) {
		return
	}
	for i := range results {
		r := &results[i]
		r.Unconfirmed = r.Code == Placed || r.Code == Replayed && r.State == TaskSubmitted
	}
}

// AwaitReplicas waits until replicas have some entries of a lane's queue, which were read from an index on. It returns
// how many of them the lane's master has there, since the others may be those of a former master, and whether the
// replicas have these.
func (s *Scripts) AwaitReplicas(
	ctx context.Context, lane int, c Confirm, from int, entries []string,
) (there int, confirmed bool, err error) {
	var has, write, wait *redis.Cmd
	key := s.Keys.LockLog(lane)
	if err = s.onMaster(ctx, key, func(pipe redis.Pipeliner) *redis.Cmd {
		has = pipe.Do(ctx, "lrange", key, from, from+len(entries)-1)
		write, wait = s.mark(ctx, pipe, lane), c.add(ctx, pipe)
		return has
	}); err != nil {
		return 0, false, fmt.Errorf("read queue: %w", err)
	}
	found, err := has.StringSlice()
	if err != nil {
		return 0, false, fmt.Errorf("read queue: %w", err)
	}
	for there < len(found) && found[there] == entries[there] {
		there++
	}
	switch err := write.Err(); {
	case redis.HasErrorPrefix(err, "OOM"), redis.HasErrorPrefix(err, "NOREPLICAS"):
		return there, false, nil // it is full, or has too few replicas to take writes
	case err != nil:
		return there, false, err
	}
	confirmed, err = c.reached(wait)
	return there, confirmed, err
}

// add adds the wait to a pipeline.
func (c Confirm) add(ctx context.Context, pipe redis.Pipeliner) *redis.Cmd {
	within := c.Within
	if until, bounded := ctx.Deadline(); bounded {
		within = min(within, time.Until(until)-answerWithin)
	}
	ms := max(within.Milliseconds(), 1) // 0 would wait for ever
	if c.Files {
		return pipe.Do(ctx, "waitaof", 1, c.Replicas, ms)
	}
	return pipe.Do(ctx, "wait", c.Replicas, ms)
}

// reached reads the answer to the wait.
func (c Confirm) reached(wait *redis.Cmd) (bool, error) {
	if !c.Files {
		replicas, err := wait.Int()
		if err != nil {
			return false, fmt.Errorf("wait for %d replicas: %w", c.Replicas, err)
		}
		return replicas >= c.Replicas, nil
	}
	files, err := wait.Int64Slice()
	switch {
	case err != nil:
		return false, fmt.Errorf("wait for the files of %d replicas: %w", c.Replicas, err)
	case len(files) != 2:
		return false, fmt.Errorf("wait for the files of %d replicas: Redis returned %v", c.Replicas, files)
	}
	return files[0] >= 1 && files[1] >= int64(c.Replicas), nil
}

// onMaster runs a pipeline over one connection to the master of a key, and returns the error of the command that fill
// returns.
func (s *Scripts) onMaster(ctx context.Context, key string, fill func(redis.Pipeliner) *redis.Cmd) (err error) {
	cluster, isCluster := s.Redis.(*redis.ClusterClient)
	for again := routeAgain; ; again *= 2 {
		node := s.Redis
		if isCluster {
			if node, err = cluster.MasterForKey(ctx, key); err != nil {
				return err
			}
		}
		var first *redis.Cmd
		_, _ = node.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			first = fill(pipe)
			return nil
		}) // each command has its own error
		err = first.Err()
		if !isCluster || err == nil {
			return err
		}
		if answer, ok := errors.AsType[redis.Error](err); ok && !isNotRun(answer) {
			return err
		} else if cluster.ReloadState(ctx); !ok || again > routeAgain<<(maxRoutes-2) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(again):
		}
	}
}

func isNotRun(answer redis.Error) bool {
	for _, prefix := range notRun {
		if strings.HasPrefix(answer.Error(), prefix) {
			return true
		}
	}
	return false
}
