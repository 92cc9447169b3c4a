package lua

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusal is an error that Redis answers.
type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) RedisError()     {}

// replicaAnswers answers each WAIT and WAITAOF, and keeps what was asked last.
type replicaAnswers struct {
	wait any
	err  error
	full bool // the writes after scripts are refused

	asked []any
}

func (r *replicaAnswers) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r *replicaAnswers) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (r *replicaAnswers) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if name := cmds[0].Name(); !strings.HasPrefix(name, "eval") && name != "lrange" {
			return next(ctx, cmds) // opens the connection
		}
		err := next(ctx, cmds[:1])
		for _, cmd := range cmds[1:] {
			switch cmd := cmd.(*redis.Cmd); cmd.Name() {
			case "set":
				if r.full {
					cmd.SetErr(refusal("OOM command not allowed"))
				}
			default:
				r.asked = cmd.Args()
				cmd.SetVal(r.wait)
				cmd.SetErr(r.err)
			}
		}
		return err
	}
}

func TestAQueueIsConfirmedAsFarAsTheMasterHasIt(t *testing.T) {
	t.Parallel()
	s := newStores(t)[0]
	answers := &replicaAnswers{wait: int64(1)}
	s.Redis.AddHook(answers)
	require.NoError(t, s.Redis.RPush(t.Context(), s.Keys.Queue(lane), "a", "b", "c").Err())
	c := Confirm{Replicas: 1, Within: time.Second}
	for _, in := range []struct {
		from    int
		entries []string
		there   int
	}{
		{0, []string{"a", "b", "c"}, 3},
		{1, []string{"b", "c"}, 2},
		{1, []string{"b", "x"}, 1},
		{0, []string{"b"}, 0},
		{1, []string{"b", "c", "d"}, 2},
		{3, []string{"a"}, 0},
	} {
		there, confirmed, err := s.AwaitReplicas(t.Context(), lane, c, in.from, in.entries)
		require.NoError(t, err)
		assert.True(t, confirmed)
		assert.Equal(t, in.there, there, "%+v", in)
	}
	answers.wait = int64(0)
	_, confirmed, err := s.AwaitReplicas(t.Context(), lane, c, 0, []string{"a"})
	require.NoError(t, err)
	assert.False(t, confirmed)

	answers.wait, answers.full = int64(1), true
	there, confirmed, err := s.AwaitReplicas(t.Context(), lane, c, 0, []string{"a"})
	require.NoError(t, err, "a full Redis is only emptied by moving its orders")
	assert.False(t, confirmed)
	assert.Equal(t, 1, there)
}

func TestOrdersAreUnconfirmedThatTooFewReplicasHave(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	answers := &replicaAnswers{}
	s := all[0]
	s.Redis.AddHook(answers)
	call := &PlaceCall{
		Lane: lane, Activity: activity, Confirm: Confirm{Replicas: 2, Within: time.Second},
		Orders: []PlaceOrder{buy("1", "alice", 1), buy("2", "bob", 100)},
	}
	place := func() (unconfirmed []bool) {
		_, results, err := s.Place(t.Context(), call)
		require.NoError(t, err)
		for _, r := range results {
			unconfirmed = append(unconfirmed, r.Unconfirmed)
		}
		return unconfirmed
	}
	require.NoError(t, s.Redis.ScriptFlush(t.Context()).Err())
	answers.wait = int64(1)
	assert.Equal(t, []bool{true, false}, place(), "placed; sold out is no promise")
	assert.Equal(t, []any{"wait", 2, int64(1000)}, answers.asked)
	assert.Equal(t, []bool{true, false}, place(), "replayed")
	answers.wait = int64(2)
	assert.Equal(t, []bool{false, false}, place(), "replayed")
	answers.full = true
	assert.Equal(t, []bool{true, false}, place(), "replayed by a full Redis, where the WAIT is about no write")

	answers.full, call.Confirm.Files = false, true
	for _, row := range []struct {
		files       []any
		unconfirmed bool
	}{{[]any{int64(1), int64(2)}, false}, {[]any{int64(0), int64(2)}, true}, {[]any{int64(1), int64(1)}, true}} {
		answers.wait = row.files
		assert.Equal(t, []bool{row.unconfirmed, false}, place(), "%v", row.files)
	}
	assert.Equal(t, []any{"waitaof", 1, 2, int64(1000)}, answers.asked)

	answers.err = errors.New("ERR unknown command 'waitaof'")
	_, _, err := s.Place(t.Context(), call)
	require.ErrorIs(t, err, answers.err, "the outcome is unknown")
	answers.err = nil

	o := &call.Orders[0]
	stored := Task{Number: o.Number, State: TaskStored, Digest: o.Digest}
	require.NoError(t, s.Redis.HSet(t.Context(), s.Keys.Tasks(lane, activity), o.Task, stored.String()).Err())
	call.Confirm.Files, answers.wait = false, int64(0)
	assert.Equal(t, []bool{false, false}, place(), "SQL has it")
}

func TestTheWaitEndsBeforeTheDeadlineOfItsCaller(t *testing.T) {
	t.Parallel()
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	t.Cleanup(func() { _ = rdb.Close() })
	for left, most := range map[time.Duration]int64{time.Hour: 500, 250 * time.Millisecond: 200, 0: 1} {
		ctx, cancel := context.WithTimeout(t.Context(), left)
		wait := Confirm{Replicas: 1, Within: 500 * time.Millisecond}.add(ctx, rdb.Pipeline())
		cancel()
		ms := wait.Args()[2].(int64)
		assert.LessOrEqual(t, ms, most)
		assert.Positive(t, ms, "0 would wait for ever")
	}
}
