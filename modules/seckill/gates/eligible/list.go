package eligible

import (
	"context"
	"strconv"
	"time"

	"onrush/lua"
	"onrush/modules/aged"
	"onrush/modules/ids"
	"onrush/modules/problem"
)

// list looks buyers up in the copies of the lists in Redis. Those who ask at the same time share a command, and an
// answer is used for a second.
type list struct {
	lua    *lua.Scripts
	answer *aged.Keyed[listed]
}

// listed is what the copy in Redis says of a buyer.
type listed struct{ in, complete bool }

func newList(scripts *lua.Scripts, now func() time.Time) *list {
	l := &list{lua: scripts}
	l.answer = aged.NewKeyed("list of buyers", now, l.load)
	return l
}

// has reports whether a user is on a list; the error is unavailable if Redis can't tell yet. While SQL is away, the
// sale may be a copy from before the list was filled, so Redis is asked about an empty list, too.
func (l *list) has(ctx context.Context, of lua.BuyerList, user string) (bool, error) {
	got, _, err := l.answer.Get(ctx, ids.Join(strconv.Itoa(of.Lane), of.Activity, strconv.FormatInt(of.Start, 10),
		strconv.FormatInt(of.Version, 10), user))
	switch {
	case err != nil:
		return false, problem.Unavailable(err, "The list of this sale's buyers can't be read right now.")
	case !got.in && !got.complete && of.Version != of.Start: // else nobody was ever put on it, or it was emptied
		return false, errLoading
	}
	return got.in, nil
}

// load asks Redis about the users of keys, each list once.
func (l *list) load(ctx context.Context, keys []string) (map[string]listed, error) {
	users, of := map[lua.BuyerList][]string{}, map[lua.BuyerList][]string{}
	for _, key := range keys {
		parts, _ := ids.Split(key, 5)
		lane, _ := strconv.Atoi(parts[0])
		start, _ := strconv.ParseInt(parts[2], 10, 64)
		version, _ := strconv.ParseInt(parts[3], 10, 64)
		on := lua.BuyerList{Lane: lane, Activity: parts[1], Start: start, Version: version}
		users[on], of[on] = append(users[on], parts[4]), append(of[on], key)
	}
	answers := make(map[string]listed, len(keys))
	for on, names := range users {
		in, complete, err := l.lua.Listed(ctx, on, names)
		if err != nil {
			return answers, err
		}
		for i, key := range of[on] {
			answers[key] = listed{in[i], complete}
		}
	}
	return answers, nil
}
