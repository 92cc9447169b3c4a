package lua

import (
	"context"
	"errors"
	"fmt"
)

const (
	// FieldSince is the field of the hash written that counts for users without a field.
	FieldSince = "since"
	// FieldRun is the run of the master that has all positions which were noted since FieldSince (Run). In another run
	// some of them may be missing.
	FieldRun = "run"
)

// ErrNoted says that a position was noted since ReadPositions; nothing was done.
var ErrNoted = errors.New("another position was noted meanwhile")

// alreadyNoted is the code of ErrNoted.
const alreadyNoted = -1

// Note is a position that a script notes together with what it removes from Redis, if the fields still are what
// ReadPositions returned before the position was read. The zero Note notes nothing, if there is no FieldSince.
type Note struct {
	Position string
	Fields   []string // the first one is FieldSince, which is only compared
	Was      []string
}

// appendTo appends the arguments from which the scripts' function noted reads a note.
func (n Note) appendTo(args []any) []any {
	if n.Position == "" {
		return append(args, "", "")
	}
	args = append(args, n.Position, n.Was[0])
	for i := 1; i < len(n.Fields); i++ {
		args = append(args, n.Fields[i], n.Was[i])
	}
	return args
}

// ReadPositions returns the positions of fields of a lane's hash written; "" for those that it doesn't have.
func (s *Scripts) ReadPositions(ctx context.Context, lane int, fields []string) ([]string, error) {
	values, err := s.Redis.HMGet(ctx, s.Keys.Written(lane), fields...).Result()
	if IsWrongType(err) { // somebody else wrote it: it has no position
		return make([]string, len(fields)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the positions of moves: %w", err)
	}
	positions := make([]string, len(values))
	for i, v := range values {
		positions[i], _ = v.(string)
	}
	return positions, nil
}

// BeginPositions changes FieldSince of a lane from what it was; done is false if it has another value by now. With a
// run, it forgets all other fields and sets FieldRun.
func (s *Scripts) BeginPositions(
	ctx context.Context, lane int, was, becomes, run string,
) (done bool, err error) {
	done, err = yes(beginPositions.Run(ctx, s.Redis, []string{s.Keys.Written(lane)}, was, becomes, run).Int64())
	if err != nil {
		return false, fmt.Errorf("begin the positions of lane %d: %w", lane, err)
	}
	return done, nil
}
