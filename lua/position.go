package lua

import (
	"context"
	"fmt"
)

// FieldSince is the field of the hash written that counts for users without a field.
const FieldSince = "since"

// ReadPositions returns the positions of fields of a lane's hash written; "" for those that it doesn't have.
func (s *Scripts) ReadPositions(ctx context.Context, lane int, fields []string) ([]string, error) {
	values, err := s.Redis.HMGet(ctx, s.Keys.Written(lane), fields...).Result()
	if err != nil {
		return nil, fmt.Errorf("read the positions of writes: %w", err)
	}
	positions := make([]string, len(values))
	for i, v := range values {
		positions[i], _ = v.(string)
	}
	return positions, nil
}

// NotePosition notes a position for fields, the first of which is FieldSince, if they still are what ReadPositions
// returned before the position was read.
func (s *Scripts) NotePosition(
	ctx context.Context, lane int, position string, fields, was []string,
) (noted bool, err error) {
	args := make([]any, 0, 1+2*len(fields))
	args = append(args, position, was[0])
	for i := 1; i < len(fields); i++ {
		args = append(args, fields[i], was[i])
	}
	noted, err = yes(notePosition.Run(ctx, s.Redis, []string{s.Keys.Written(lane)}, args...).Int64())
	if err != nil {
		return false, fmt.Errorf("note the position of a write: %w", err)
	}
	return noted, nil
}
