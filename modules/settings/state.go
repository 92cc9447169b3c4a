package settings

import (
	"cmp"
	"reflect"
	"slices"

	"onrush/modules/oplog"
)

// Stored are the settings at some time.
type Stored struct {
	Set       Values `json:"set"`
	Version   int64  `json:"version"`    // 0: nobody knows them
	UpdatedMS int64  `json:"updated_ms"` // 0: nobody has changed them
	// Changed is when each was changed, in UTC ms, by name; those that nobody has changed are absent.
	Changed map[string]int64 `json:"changed,omitempty"`
	// Pending says that SQL or Redis doesn't have them yet.
	Pending bool `json:"-"`
	// Uncertain says of a change that a restart of all instances may undo it, since only one store has it, which may be
	// away then or be replaced: SQL alone, or a Redis whose replicas may lack it.
	Uncertain bool `json:"-"`
}

// kept is what Redis has of the settings, and what an instance knows of them.
type kept struct {
	Base Stored `json:"base"` // as SQL had them; the zero Stored if nobody knew
	// Waiting are the stops of all sales, and their ends, that SQL doesn't have yet, oldest first. Programs before this
	// one let other settings wait, too.
	Waiting []change `json:"waiting,omitempty"`
}

// change is a change of the settings by an operator.
type change struct {
	AtMS  int64       `json:"at_ms"` // the settings that it sets and unsets have this time afterwards
	By    oplog.Stamp `json:"by"`
	Set   Values      `json:"set"`
	Unset []string    `json:"unset,omitempty"`
}

// stop is the name of the setting that may be changed while SQL is unavailable.
const stop = "sales_stopped"

// onlyStops reports whether a change names no setting but the stop of all sales.
func (c *change) onlyStops() bool {
	return c.Set == Values{SalesStopped: c.Set.SalesStopped} &&
		!slices.ContainsFunc(c.Unset, func(name string) bool { return name != stop })
}

// is reports whether s and other are the same version.
func (s *Stored) is(other *Stored) bool {
	return s.Version == other.Version && s.UpdatedMS == other.UpdatedMS
}

// changedMS returns when a setting was changed; 0 if nobody has. A row that lacks the times has one for all.
func (s *Stored) changedMS(name string) int64 {
	if s.Changed == nil {
		return s.UpdatedMS
	}
	return s.Changed[name]
}

// after returns the settings after a change, with the next version, or s if later changes have overtaken all of it.
func (s Stored) after(c *change) Stored {
	after := Stored{Set: s.Set, UpdatedMS: max(s.UpdatedMS, c.AtMS), Changed: map[string]int64{}}
	from, into := reflect.ValueOf(c.Set), reflect.ValueOf(&after.Set).Elem()
	after.Version = s.Version
	for i, name := range names {
		at := s.changedMS(name)
		if named := !from.Field(i).IsNil() || slices.Contains(c.Unset, name); named && c.AtMS > at {
			at, after.Version = c.AtMS, s.Version+1
			into.Field(i).Set(from.Field(i))
		}
		if at > 0 {
			after.Changed[name] = at
		}
	}
	if after.Version == s.Version {
		return s
	}
	return after
}

// merge returns the later settings, with the later stop of all sales or end of it. So a store that was restored to an
// older state, or an instance that was away, undoes nothing.
func merge(a, b Stored) Stored {
	if cmp.Or(cmp.Compare(a.UpdatedMS, b.UpdatedMS), cmp.Compare(a.Version, b.Version)) < 0 {
		a, b = b, a
	}
	m := a
	if at := b.changedMS(stop); at > a.changedMS(stop) {
		m = a.after(&change{AtMS: at, Set: Values{SalesStopped: b.Set.SalesStopped}, Unset: []string{stop}})
	}
	if newest := max(a.Version, b.Version); m.Version != a.Version || newest > a.Version {
		m.Version = newest + 1 // operators have seen newest with other settings
	}
	return m
}

// settings returns the base after the changes that wait.
func (k *kept) settings() Stored {
	s := k.Base
	for i := range k.Waiting {
		s = s.after(&k.Waiting[i])
	}
	return s
}

// with returns what k and other know together.
func (k kept) with(other kept) kept {
	all := kept{merge(k.Base, other.Base), append(k.without(other.Waiting).Waiting, other.Waiting...)}
	slices.SortFunc(all.Waiting, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.By.ID, b.By.ID))
	})
	return all
}

// without returns k without changes that no longer wait.
func (k kept) without(done []change) kept {
	k.Waiting = slices.DeleteFunc(slices.Clone(k.Waiting), func(c change) bool {
		return slices.ContainsFunc(done, func(d change) bool { return d.By.ID == c.By.ID && d.AtMS == c.AtMS })
	})
	return k
}
