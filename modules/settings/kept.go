package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"onrush/lua"
	"onrush/modules/oplog"
)

// kept is what Redis has of the settings, and what an instance knows of them.
type kept struct {
	Base    Stored   `json:"base"`              // as SQL had them; the zero Stored if nobody knew
	Waiting []change `json:"waiting,omitempty"` // what SQL doesn't have yet, oldest first
}

// change is a change of the settings by an operator.
type change struct {
	AtMS  int64       `json:"at_ms"` // the settings that it sets and unsets have this time afterwards
	By    oplog.Stamp `json:"by"`
	Set   Values      `json:"set"`
	Unset []string    `json:"unset,omitempty"`
}

func (c *change) is(other *change) bool { return c.By.ID == other.By.ID && c.AtMS == other.AtMS }

// changedMS returns when a setting was changed; 0 if nobody has. Programs before this field knew one time for all.
func (s *Stored) changedMS(name string) int64 {
	if s.Changed == nil {
		return s.UpdatedMS
	}
	return s.Changed[name]
}

// covers reports whether s lacks nothing that other has.
func (s *Stored) covers(other *Stored) bool {
	return s.Version >= other.Version &&
		!slices.ContainsFunc(names, func(name string) bool { return other.changedMS(name) > s.changedMS(name) })
}

// merge returns each setting as the one of both has it that changed it last. So an older change never replaces a newer
// one, whichever store or instance has it.
func merge(a, b Stored) Stored {
	if cmp.Or(cmp.Compare(a.UpdatedMS, b.UpdatedMS), cmp.Compare(a.Version, b.Version)) < 0 {
		a, b = b, a
	}
	values, older := a.Set.texts(), b.Set.texts()
	m := Stored{Version: a.Version, UpdatedMS: a.UpdatedMS, Changed: map[string]int64{}}
	differs := b.Version > a.Version
	for _, name := range names {
		at := a.changedMS(name)
		if b.changedMS(name) > at {
			at = b.changedMS(name)
			differs = differs || values[name] != older[name]
			values.put(name, older[name])
		}
		if at > 0 {
			m.Changed[name] = at
		}
	}
	if differs { // from all that operators have seen
		m.Version = max(a.Version, b.Version) + 1
	}
	m.Set = values.read()
	return m
}

// after returns the settings after a change, with the next version, or s if newer changes have overtaken it.
func (s Stored) after(c *change) (after Stored, overtaken bool) {
	values, set := s.Set.texts(), c.Set.texts()
	after = Stored{Version: s.Version + 1, UpdatedMS: max(s.UpdatedMS, c.AtMS), Changed: map[string]int64{}}
	named, applied := false, false
	for _, name := range names {
		at := s.changedMS(name)
		if set[name] != "" || slices.Contains(c.Unset, name) {
			named = true
			if c.AtMS > at {
				applied, at = true, c.AtMS
				values.put(name, set[name])
			}
		}
		if at > 0 {
			after.Changed[name] = at
		}
	}
	if !applied {
		return s, named
	}
	after.Set = values.read()
	return after, false
}

// settings returns the base after the changes that wait.
func (k *kept) settings() Stored {
	s := k.Base
	for i := range k.Waiting {
		s, _ = s.after(&k.Waiting[i])
	}
	return s
}

// with returns what k and other know together.
func (k kept) with(other kept) kept {
	k.Base = merge(k.Base, other.Base)
	k.Waiting = slices.Clone(k.Waiting)
	for i := range other.Waiting {
		if c := &other.Waiting[i]; !slices.ContainsFunc(k.Waiting, func(had change) bool { return had.is(c) }) {
			k.Waiting = append(k.Waiting, *c)
		}
	}
	slices.SortFunc(k.Waiting, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.By.ID, b.By.ID))
	})
	return k
}

// without returns k without changes that no longer wait.
func (k kept) without(done []change) kept {
	k.Waiting = slices.DeleteFunc(slices.Clone(k.Waiting), func(c change) bool {
		return slices.ContainsFunc(done, func(d change) bool { return d.is(&c) })
	})
	return k
}

// covers reports whether k lacks nothing that other has. A change that waits lacks only its place in the log once newer
// settings cover it.
func (k *kept) covers(other *kept) bool {
	has, want := k.settings(), other.settings()
	return has.covers(&want)
}

// readKept returns what Redis has, and its text for keep.
func (s *Store) readKept(ctx context.Context) (k kept, text string, err error) {
	if text, err = s.lua.Settings(ctx); err != nil || text == "" {
		return k, text, err
	}
	if json.Unmarshal([]byte(text), &k) != nil {
		k = kept{} // what nobody can read is replaced
	}
	return k, text, nil
}

// keep replaces what Redis has, if its text is still was. confirmed says that as many replicas have it as an order's
// answer waits for.
func (s *Store) keep(ctx context.Context, was string, k kept) (done, confirmed bool, err error) {
	text, err := json.Marshal(k)
	if err != nil {
		return false, false, err
	}
	done, err = s.lua.KeepSettings(ctx, was, string(text))
	confirmed = done && s.lua.Waits.Replicas > 0
	if errors.Is(err, lua.ErrUnconfirmed) {
		done, err = true, nil
	}
	if done {
		s.learn(nil, &k)
	}
	return done, confirmed, err
}

// texts are the values that are set, in JSON, by their names.
type texts map[string]string

func (v Values) texts() texts {
	body, err := json.Marshal(v)
	var fields map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(body, &fields)
	}
	if err != nil {
		panic(err) // Values has only texts and flags
	}
	values := make(texts, len(fields))
	for name, value := range fields {
		values[name] = string(value)
	}
	return values
}

// put sets a value; "" unsets it.
func (t texts) put(name, text string) {
	if text == "" {
		delete(t, name)
		return
	}
	t[name] = text
}

func (t texts) read() (v Values) {
	fields := make(map[string]json.RawMessage, len(t))
	for name, text := range t {
		fields[name] = json.RawMessage(text)
	}
	body, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(body, &v)
	}
	if err != nil {
		panic(err) // the texts are of Values
	}
	return v
}

func equal(a, b Values) bool { return maps.Equal(a.texts(), b.texts()) }
