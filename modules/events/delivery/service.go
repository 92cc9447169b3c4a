package delivery

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/idempotency"
	"onrush/modules/ids"
	"onrush/modules/journal"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Service has what operators do with endpoints and deliveries.
type Service struct {
	cfg     Config
	db      *sqldb.DB
	feed    feed
	now     func() time.Time
	random  io.Reader
	targets *targets
	client  *http.Client  // of tests
	tests   chan struct{} // one value for each test that is being sent
}

// NewService returns the endpoints in d.DB.
func NewService(cfg Config, d Deps) *Service {
	cfg = cfg.withDefaults()
	t := &targets{private: cfg.Private, resolver: d.Resolver}
	return &Service{
		cfg: cfg, db: d.DB, feed: d.Feed, now: d.Now, random: d.Secrets, targets: t, client: newClient(t, cfg),
		tests: make(chan struct{}, maxTests),
	}
}

// Settings are what operators set of an endpoint.
type Settings struct {
	URL     string   `json:"url"`
	Types   []string `json:"types"` // none: all but journal.ReminderDue
	Enabled bool     `json:"enabled"`

	// Version is the version of the endpoint. In a request it is the version that the caller saw; see oplog.Check.
	Version int64 `json:"version"`
}

const secretBytes = 32

func (s *Service) newSecret() (string, error) {
	raw := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.random, raw); err != nil {
		return "", fmt.Errorf("make a secret: %w", err)
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(raw), nil
}

// check returns a problem with the settings; it sorts the types.
func (s *Service) check(ctx context.Context, id string, set *Settings) error {
	var checks problem.Checks
	checks.That(ids.Valid(id), "endpoint_id", ids.Rule)
	for i, name := range set.Types {
		checks.That(slices.Contains(journal.Types(), name), fmt.Sprintf("types[%d]", i), "is not a type of events")
	}
	set.Types = slices.Compact(slices.Sorted(slices.Values(set.Types)))
	if err := checks.Err(); err != nil {
		return err
	}
	return s.targets.check(ctx, set.URL)
}

// Put makes or changes an endpoint. A new one gets the events from now on, and its secret is returned this once. One
// that was switched off continues where it stopped.
func (s *Service) Put(ctx context.Context, id string, set Settings) (v Endpoint, made bool, err error) {
	if err := s.check(ctx, id, &set); err != nil {
		return v, false, err
	}
	secret, err := s.newSecret()
	if err != nil {
		return v, false, err
	}
	head, err := s.feed.Head(ctx)
	if err != nil {
		return v, false, err
	}
	now := s.now().UnixMilli()
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		made = false
		if err := lockHead(ctx, tx); err != nil {
			return err
		}
		had, err := lockEndpoint(ctx, tx, id)
		switch {
		case errors.Is(err, errNoEndpoint):
			made = true
			if err := oplog.Check(ctx, tx, "endpoint:"+id, set.Version, 0); err != nil {
				return err
			}
			if err := s.insert(ctx, tx, &endpointRow{
				ID: id, URL: set.URL, Types: strings.Join(set.Types, " "), Enabled: set.Enabled, Secret: secret,
				After: head, CreatedMS: now, UpdatedMS: now,
				Revision: now,
			}); err != nil {
				return err
			}
			return recordChange(ctx, tx, "registered", id, nil, set.at(now))
		case err != nil:
			return err
		}
		if err := oplog.Check(ctx, tx, "endpoint:"+id, set.Version, had.Revision); err != nil {
			return err
		}
		if err := s.change(ctx, tx, &had, &set, now); err != nil {
			return err
		}
		return recordChange(ctx, tx, "changed", id, had.settings(), set.at(had.Revision+1))
	})
	if err != nil {
		return v, false, err
	}
	if v, err = s.Get(ctx, id); made {
		v.Secret = secret
	}
	return v, made, err
}

// at returns the settings with a version.
func (s Settings) at(version int64) Settings {
	s.Version = version
	return s
}

// settings returns what operators set of the endpoint.
func (e *endpointRow) settings() Settings {
	return Settings{URL: e.URL, Types: strings.Fields(e.Types), Enabled: e.Enabled, Version: e.Revision}
}

// insert adds an endpoint if there are not too many.
func (s *Service) insert(ctx context.Context, tx *sqlx.Tx, e *endpointRow) error {
	var endpoints int
	if err := tx.GetContext(ctx, &endpoints, `SELECT COUNT(*) FROM endpoints`); err != nil {
		return fmt.Errorf("count endpoints: %w", err)
	}
	if endpoints >= s.cfg.Endpoints {
		return problem.Errorf(problem.CodeConflict, "There are %d endpoints already; delete one first.", endpoints)
	}
	// An endpoint of the same id that was just deleted may have got events after the head was read. They are in the
	// log, which can't have an event twice.
	var last int64
	const logged = `SELECT COALESCE(MAX(event_id), 0) FROM deliveries WHERE endpoint_id = ?`
	if err := tx.GetContext(ctx, &last, logged, e.ID); err != nil {
		return fmt.Errorf("select the last delivery to an endpoint %s: %w", e.ID, err)
	}
	e.After = max(e.After, last)
	if err := endpointColumns.Insert(ctx, tx, "endpoints", endpointColumns.AppendTo(nil, e)); err != nil {
		return fmt.Errorf("insert endpoint: %w", err)
	}
	return nil
}

// change updates an endpoint. What waits is due at once if the endpoint has another URL or is switched on.
func (s *Service) change(ctx context.Context, tx *sqlx.Tx, had *endpointRow, set *Settings, now int64) error {
	const update = `UPDATE endpoints SET url = ?, types = ?, enabled = ?, updated_ms = ?, version = version + 1,
		revision = revision + 1
		WHERE endpoint_id = ?`
	if _, err := exec(ctx, tx, update, set.URL, strings.Join(set.Types, " "), set.Enabled, now, had.ID); err != nil {
		return fmt.Errorf("update endpoint %s: %w", had.ID, err)
	}
	if !set.Enabled || had.Enabled && had.URL == set.URL {
		return nil
	}
	return resume(ctx, tx, had.ID)
}

// resume makes what waits for an endpoint due at once, if it is on.
func resume(ctx context.Context, tx *sqlx.Tx, id string) error {
	const begin = `UPDATE endpoints SET failing_since_ms = 0, disabled_reason = '', due_ms = 1, version = version + 1
		WHERE endpoint_id = ? AND enabled = 1`
	if n, err := exec(ctx, tx, begin, id); err != nil || n == 0 {
		return err
	}
	const due = `UPDATE deliveries SET next_ms = 0, first_ms = 0 WHERE endpoint_id = ? AND status = 'waiting'`
	if _, err := exec(ctx, tx, due, id); err != nil {
		return fmt.Errorf("update what waits for endpoint %s: %w", id, err)
	}
	return nil
}

// Get returns an endpoint without its secret.
func (s *Service) Get(ctx context.Context, id string) (Endpoint, error) {
	e, err := selectEndpoint(ctx, s.db.Read, id)
	if err != nil {
		return Endpoint{}, err
	}
	return e.view(s.now().UnixMilli()), nil
}

// List returns a page of the endpoints, by their ids, without secrets.
func (s *Service) List(ctx context.Context, page api.Page) (api.List[Endpoint], error) {
	list := api.List[Endpoint]{Page: max(page.Page, 1), PageSize: page.Size}
	now := s.now().UnixMilli()
	var total int64
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM endpoints`); err != nil {
			return fmt.Errorf("count endpoints: %w", err)
		}
		var rows []endpointRow
		if err := tx.SelectContext(ctx, &rows, `SELECT `+endpointColumns.Names+` FROM endpoints
			ORDER BY endpoint_id LIMIT ? OFFSET ?`, page.Size, page.Offset()); err != nil {
			return fmt.Errorf("select endpoints: %w", err)
		}
		for i := range rows {
			list.Items = append(list.Items, rows[i].view(now))
		}
		return nil
	})
	list.Total, list.NextCursor = &total, page.Next(total)
	return list, err
}

// Delete deletes an endpoint. The log of its deliveries is kept; what waited is failed. version is that from which the
// request was made, as oplog.Check takes it.
func (s *Service) Delete(ctx context.Context, id string, version int64) error {
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockHead(ctx, tx); err != nil {
			return err
		}
		had, err := lockEndpoint(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := oplog.Check(ctx, tx, "endpoint:"+id, version, had.Revision); err != nil {
			return err
		}
		if _, err := exec(ctx, tx, `DELETE FROM endpoints WHERE endpoint_id = ?`, id); err != nil {
			return fmt.Errorf("delete endpoint %s: %w", id, err)
		}
		const end = `UPDATE deliveries SET status = 'failed', error = 'the endpoint was deleted', next_ms = 0
			WHERE endpoint_id = ? AND status = 'waiting'`
		if _, err := exec(ctx, tx, end, id); err != nil {
			return fmt.Errorf("end the deliveries of endpoint %s: %w", id, err)
		}
		return recordChange(ctx, tx, "deleted", id, had.settings(), nil)
	})
	return err
}

// Rotate gives an endpoint another secret and returns it this once. The one before signs as well for 24 hours.
func (s *Service) Rotate(ctx context.Context, id string) (v Endpoint, err error) {
	secret, err := s.newSecret()
	if err != nil {
		return v, err
	}
	now := s.now()
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// MySQL sets columns from left to right, SQLite all at once: previous_secret comes first.
		const update = `UPDATE endpoints SET previous_secret = secret, secret = ?, previous_until_ms = ?, updated_ms = ?
			WHERE endpoint_id = ?`
		n, err := exec(ctx, tx, update, secret, now.Add(previousFor).UnixMilli(), now.UnixMilli(), id)
		if err != nil {
			return fmt.Errorf("change the secret of endpoint %s: %w", id, err)
		}
		if n == 0 {
			return errNoEndpoint
		}
		if err := recordChange(ctx, tx, "secret_changed", id, nil, nil); err != nil {
			return err
		}
		e, err := selectEndpoint(ctx, tx, id)
		if err != nil {
			return err
		}
		v = e.view(now.UnixMilli())
		v.Secret = secret
		return idempotency.Keep(ctx, tx, http.StatusOK, v)
	})
	return v, err
}

// recordChange records what an operator did with an endpoint; never its secrets.
func recordChange(ctx context.Context, tx *sqlx.Tx, what, id string, before, after any) error {
	return oplog.Record(ctx, tx, oplog.Entry{
		Action: "endpoint." + what, On: "endpoint:" + id, Before: before, After: after,
	})
}
