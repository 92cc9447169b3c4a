package lua

import (
	"cmp"
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
	// Replicas is how many replicas of the lane's master must have a write. A failover loses the write only if it
	// promotes another replica, so a master should have no more replicas than this.
	Replicas int
	// Within bounds the wait for them. An earlier deadline of the caller applies. Default 500 ms.
	Within time.Duration
	// Files says that the write must be in the append-only files of the master and of these replicas, too. It needs
	// Redis 7.2.
	Files bool
}

const (
	// defaultWithin is the default of Confirm.Within.
	defaultWithin = 500 * time.Millisecond
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

// ErrUnconfirmed says that Redis has carried out the call, but that too few replicas had the writes in time: a failover
// may lose them. A caller that would drop something because Redis has it must keep it, and call again.
var ErrUnconfirmed = errors.New("too few replicas of Redis have it")

// confirmed runs scripts on the master of a key. A write and a WAIT follow in the same round trip, over the same
// connection. So they are about the server that ran the scripts, whichever is the master by then, and one WAIT is about
// all of them. A WAIT alone would not be about what a script only read, and others wrote before; mark is the key that
// is written, "" for none. run adds the scripts to a pipeline, by their hashes or, if Redis doesn't know one, by their
// texts, and returns the first one. written says that the write took place, which a full Redis refuses.
func (s *Scripts) confirmed(
	ctx context.Context, key, mark string, c Confirm, run func(redis.Pipeliner, evaluate) *redis.Cmd,
) (written, confirmed bool, err error) {
	var first, write, wait *redis.Cmd
	send := func(by evaluate) error {
		return s.onMaster(ctx, key, func(pipe redis.Pipeliner) *redis.Cmd {
			first = run(pipe, by)
			if mark != "" {
				write = s.mark(ctx, pipe, mark)
			}
			wait = c.add(ctx, pipe)
			return first
		})
	}
	err = send((*redis.Script).EvalSha)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		err = send((*redis.Script).Eval)
	}
	if first != nil { // a master of the key is known
		confirmed, err = c.reached(wait)
	}
	return write == nil || write.Err() == nil, confirmed, err
}

// evaluate is EvalSha or Eval of a script.
type evaluate func(*redis.Script, context.Context, redis.Scripter, []string, ...any) *redis.Cmd

// runConfirmed runs a script whose effect SQL forgets because Redis has it. If replicas are asked for and too few have
// the effect, the error of the returned command is ErrUnconfirmed. mark is as in confirmed.
func (s *Scripts) runConfirmed(
	ctx context.Context, script *redis.Script, mark string, keys []string, args ...any,
) *redis.Cmd {
	if s.Waits.Replicas == 0 {
		return script.Run(ctx, s.Redis, keys, args...)
	}
	var cmd *redis.Cmd
	written, confirmed, err := s.confirmed(ctx, keys[0], mark, s.Waits,
		func(pipe redis.Pipeliner, by evaluate) *redis.Cmd {
			cmd = by(script, ctx, pipe, keys, args...)
			return cmd
		})
	switch {
	case cmd == nil:
		cmd = redis.NewCmd(ctx)
		cmd.SetErr(err)
	case cmd.Err() != nil:
	case err != nil:
		cmd.SetErr(fmt.Errorf("%w: %w", ErrUnconfirmed, err))
	case !written || !confirmed:
		cmd.SetErr(ErrUnconfirmed)
	}
	return cmd
}

// placeConfirmed makes calls of one lane, which cost all their orders one WAIT.
func (s *Scripts) placeConfirmed(ctx context.Context, calls []*PlaceCall) []PlaceReply {
	lane := calls[0].Lane
	sent := make([]*redis.Cmd, len(calls))
	written, confirmed, err := s.confirmed(ctx, s.Keys.Queue(lane), s.Keys.WriteCheck(lane), calls[0].Confirm,
		func(pipe redis.Pipeliner, by evaluate) *redis.Cmd {
			for i, call := range calls {
				keys, args := s.placeInput(call)
				sent[i] = by(decrementStock, ctx, pipe, keys, args...)
			}
			return sent[0]
		})
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
		markUnconfirmed(r.Results, confirmed, written)
	}
	return replies
}

// mark writes something that replicas get after all that was written before.
func (s *Scripts) mark(ctx context.Context, pipe redis.Pipeliner, key string) *redis.Cmd {
	return pipe.Do(ctx, "set", key, 1, "px", confirmedFor.Milliseconds())
}

// markUnconfirmed marks the orders that are only in Redis and that too few replicas have. On a full Redis the write
// after the script fails. If the script wrote another order, the WAIT covers also an order that the script only read.
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
// how many of the entries the lane's master has there, since the reader may have got the others from a former master,
// and whether the replicas have the entries of the master.
func (s *Scripts) AwaitReplicas(
	ctx context.Context, lane int, c Confirm, from int, entries []string,
) (there int, confirmed bool, err error) {
	var has, write, wait *redis.Cmd
	key := s.Keys.Queue(lane)
	if err = s.onMaster(ctx, key, func(pipe redis.Pipeliner) *redis.Cmd {
		has = pipe.Do(ctx, "lrange", key, from, from+len(entries)-1)
		write, wait = s.mark(ctx, pipe, s.Keys.WriteCheck(lane)), c.add(ctx, pipe)
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
	within := cmp.Or(c.Within, defaultWithin)
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
