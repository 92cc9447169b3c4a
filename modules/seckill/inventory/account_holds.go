package inventory

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
)

// holds returns the holds of the entries that have one. A hold that can't be parsed holds nothing.
func (au *Auditor) holds(
	ctx context.Context, lane int, activity string, entries []order.Entry,
) (map[order.Number]lua.Held, error) {
	numbers := make([]order.Number, len(entries))
	for i, e := range entries {
		numbers[i] = e.Number
	}
	return au.holdsOf(ctx, lane, activity, numbers)
}

// fieldsAtOnce bounds how many fields of a hash one command reads.
const fieldsAtOnce = 1000

func (au *Auditor) holdsOf(
	ctx context.Context, lane int, activity string, numbers []order.Number,
) (map[order.Number]lua.Held, error) {
	fields := make([]string, len(numbers))
	for i, n := range numbers {
		fields[i] = n.String()
	}
	values, err := au.read(ctx, au.lua.Keys.Held(lane, activity), fields)
	if err != nil {
		return nil, err
	}
	holds := make(map[order.Number]lua.Held, len(numbers))
	for i, value := range values {
		if text, ok := value.(string); ok {
			holds[numbers[i]], _ = lua.ParseHeld(text)
		}
	}
	return holds, nil
}

// read returns the values of fields of a hash, nil for each absent one.
func (au *Auditor) read(ctx context.Context, key string, fields []string) ([]any, error) {
	values := make([]any, 0, len(fields))
	var cmds []*redis.SliceCmd
	_, err := au.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for from := 0; from < len(fields); from += fieldsAtOnce {
			cmds = append(cmds, p.HMGet(ctx, key, fields[from:min(from+fieldsAtOnce, len(fields))]...))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %d fields of %s: %w", len(fields), key, err)
	}
	for _, cmd := range cmds {
		values = append(values, cmd.Val()...)
	}
	return values, nil
}
