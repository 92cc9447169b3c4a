package lua

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// LoadField names one of the hashes that a load fills.
type LoadField int

// The hashes of a load, in the order of the keys of load_activity.lua.
const (
	LoadStock LoadField = iota + 1
	LoadPaid
	LoadBought
	LoadHeld
	LoadTasks
	LoadChanges
	LoadWaitlist
)

const (
	// loadingFor is how long Redis remembers a load after its last step, as load_activity.lua says.
	loadingFor = time.Minute
	// stepWithin is an upper bound of the time between two steps of a load.
	stepWithin = 3 * time.Second
)

// LoadIsRunning reports whether a load is running, that is, whether its last step was less than 3 s ago.
// remembered is how much longer Redis remembers that step. If not, the load failed or its instance was killed.
func LoadIsRunning(remembered time.Duration) bool { return remembered > loadingFor-stepWithin }

// Epoch returns the epoch under which an activity is loaded, or 0 if it isn't, or if that can't be read: then it has to
// be loaded again.
func (s *Scripts) Epoch(ctx context.Context, lane int, activity string) (int64, error) {
	meta, err := s.Redis.HMGet(ctx, s.Keys.Meta(lane, activity), "state", "epoch").Result()
	if IsWrongType(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read epoch of activity %s: %w", activity, err)
	}
	if state, _ := meta[0].(string); !ActivityState(state).Loaded() {
		return 0, nil
	}
	text, _ := meta[1].(string)
	epoch, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // somebody else wrote it
	}
	return epoch, nil
}

// LoadBegin empties an activity and marks it as loading under this epoch; known is the epoch that SQL had before. If
// the activity is loaded already (open or closed) under known, or a load with a higher epoch is running, it does
// nothing and returns false.
func (s *Scripts) LoadBegin(
	ctx context.Context, lane int, activity string, epoch, known int64,
) (begun bool, err error) {
	begun, err = yes(s.load(ctx, lane, activity, "begin", epoch, known))
	if err != nil {
		return false, fmt.Errorf("begin loading activity %s: %w", activity, err)
	}
	return begun, nil
}

// LoadFill adds fields to one hash of an activity that is loading. pairs is field, value, field,
// value, … of any length; it is sent in chunks. The error is ErrSuperseded if the activity is
// not loading under this epoch.
func (s *Scripts) LoadFill(
	ctx context.Context, lane int, activity string, epoch int64, field LoadField, pairs []string,
) error {
	if len(pairs)%2 != 0 {
		return fmt.Errorf("fill activity %s: %d values are not pairs", activity, len(pairs))
	}
	if field < LoadStock || field > LoadWaitlist {
		return fmt.Errorf("fill activity %s: unknown field %d", activity, field)
	}
	for chunk := range slices.Chunk(pairs, maxChunk) {
		args := make([]any, 0, 1+len(chunk))
		args = append(args, int(field))
		for _, value := range chunk {
			args = append(args, value)
		}
		if err := superseded(s.load(ctx, lane, activity, "fill", epoch, args...)); err != nil {
			return fmt.Errorf("fill activity %s: %w", activity, err)
		}
	}
	return nil
}

// LoadAdd adds to the numbers of one hash of an activity that is loading; a field that is absent
// starts at 0. Otherwise it works like LoadFill.
func (s *Scripts) LoadAdd(
	ctx context.Context, lane int, activity string, epoch int64, field LoadField, add map[string]int64,
) error {
	for fields := range slices.Chunk(slices.Sorted(maps.Keys(add)), maxChunk/2) {
		args := make([]any, 0, 1+2*len(fields))
		args = append(args, int(field))
		for _, f := range fields {
			args = append(args, f, add[f])
		}
		if err := superseded(s.load(ctx, lane, activity, "add", epoch, args...)); err != nil {
			return fmt.Errorf("fill activity %s: %w", activity, err)
		}
	}
	return nil
}

// FillTasks adds tasks to an activity that was opened under this epoch, as LoadFill does; existing
// tasks are not changed. The error is ErrSuperseded if another load began.
func (s *Scripts) FillTasks(ctx context.Context, lane int, activity string, epoch int64, pairs []string) error {
	for chunk := range slices.Chunk(pairs, maxChunk) {
		args := make([]any, len(chunk))
		for i := range chunk {
			args[i] = &chunk[i]
		}
		if err := superseded(s.load(ctx, lane, activity, "fill_tasks", epoch, args...)); err != nil {
			return fmt.Errorf("fill tasks of activity %s: %w", activity, err)
		}
	}
	return nil
}

// TasksDone marks that an activity which was opened under this epoch has all its tasks.
func (s *Scripts) TasksDone(ctx context.Context, lane int, activity string, epoch int64) error {
	if err := superseded(s.load(ctx, lane, activity, "tasks_done", epoch)); err != nil {
		return fmt.Errorf("fill tasks of activity %s: %w", activity, err)
	}
	return nil
}

// LoadOpen ends a load: it sets the fields of meta, among them state (open or closed), starts_ms
// and ends_ms. The error is ErrSuperseded if the activity is not loading under this epoch.
func (s *Scripts) LoadOpen(ctx context.Context, lane int, activity string, epoch int64, meta map[string]string) error {
	for _, field := range []string{"state", "starts_ms", "ends_ms"} {
		if meta[field] == "" {
			return fmt.Errorf("open activity %s: no %s", activity, field)
		}
	}
	if state := ActivityState(meta["state"]); !state.Loaded() {
		return fmt.Errorf("open activity %s: the state %q is neither open nor closed", activity, state)
	}
	args := make([]any, 0, 2*len(meta))
	for _, field := range slices.Sorted(maps.Keys(meta)) {
		if field == "epoch" {
			return fmt.Errorf("open activity %s: the caller must not set the epoch", activity)
		}
		args = append(args, field, meta[field])
	}
	if err := superseded(s.load(ctx, lane, activity, "open", epoch, args...)); err != nil {
		return fmt.Errorf("open activity %s: %w", activity, err)
	}
	return nil
}

// LoadGiveUp abandons a load: it removes the data of the load, if the activity is still loading under this epoch.
func (s *Scripts) LoadGiveUp(ctx context.Context, lane int, activity string, epoch int64) error {
	if _, err := yes(s.load(ctx, lane, activity, "give_up", epoch)); err != nil {
		return fmt.Errorf("abandon loading activity %s: %w", activity, err)
	}
	return nil
}

func (s *Scripts) load(
	ctx context.Context, lane int, activity, step string, epoch int64, rest ...any,
) (int64, error) {
	args := append([]any{step, epoch}, rest...)
	return loadActivity.Run(ctx, s.Redis, s.Keys.Loaded(lane, activity), args...).Int64()
}

func superseded(code int64, err error) error {
	done, err := yes(code, err)
	if err == nil && !done {
		return ErrSuperseded
	}
	return err
}
