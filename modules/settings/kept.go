package settings

import (
	"context"
	"encoding/json"

	"onrush/modules/oplog"
)

// kept is what Redis has of the settings.
type kept struct {
	Base    Stored   `json:"base"`              // as SQL had them; the zero Stored if nobody knew
	Waiting []change `json:"waiting,omitempty"` // what SQL doesn't have yet, oldest first
}

// change is a change of the settings by an operator.
type change struct {
	AtMS  int64       `json:"at_ms"` // UpdatedMS of the settings after it
	By    oplog.Stamp `json:"by"`
	Set   Values      `json:"set"`
	Unset []string    `json:"unset,omitempty"`
}

// newer reports whether s was changed after other.
func (s *Stored) newer(other *Stored) bool {
	return s.UpdatedMS > other.UpdatedMS || s.UpdatedMS == other.UpdatedMS && s.Version > other.Version
}

// after returns the settings after a change, with the next version.
func (s *Stored) after(c *change) Stored {
	return Stored{Set: s.Set.with(c.Set, c.Unset), Version: s.Version + 1, UpdatedMS: max(c.AtMS, s.UpdatedMS+1)}
}

// over returns the newer one of the base and row, with the changes that wait and are newer.
func (k *kept) over(row Stored) Stored {
	if k.Base.newer(&row) {
		row = k.Base
	}
	for i := range k.Waiting {
		if c := &k.Waiting[i]; c.AtMS > row.UpdatedMS {
			row = row.after(c)
		}
	}
	return row
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

// keep replaces what Redis has, if its text is still was.
func (s *Store) keep(ctx context.Context, was string, k kept) (done bool, err error) {
	text, err := json.Marshal(k)
	if err != nil {
		return false, err
	}
	if done, err = s.lua.KeepSettings(ctx, was, string(text)); done {
		s.remember(nil, &k)
	}
	return done, err
}
