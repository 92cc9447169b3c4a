package seckill

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/sqldb"
	"onrush/web"
)

const (
	// maxListed bounds how many activities buyers are shown.
	maxListed = 500
	// endedFor is how long an ended activity is still listed.
	endedFor = 7 * 24 * time.Hour
	listKey  = "list"
)

// Shelf shows the activities as SQL has them, at most a second old; a stale copy is served while
// SQL is away.
type Shelf struct {
	db    *sqldb.DB
	clock *order.Clock
	one   *order.Fresh[*Activity]
	list  *order.Fresh[[]string]
}

// NewShelf makes a shelf.
func NewShelf(db *sqldb.DB, clock *order.Clock, now func() time.Time) *Shelf {
	s := &Shelf{db: db, clock: clock}
	s.one = order.NewFresh("activity", now, s.load)
	s.list = order.NewFresh("list of activities", now, s.loadList)
	return s
}

// Get returns an activity that was published, also one that is offline by now; any other is
// not_found. The caller must not change it.
func (s *Shelf) Get(ctx context.Context, id string) (*Activity, error) {
	a, found, err := s.one.One(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, web.NotFound("activity")
	}
	return a, nil
}

// List returns the published activities, those that end last first.
func (s *Shelf) List(ctx context.Context) ([]*Activity, error) {
	ids, _, err := s.list.One(ctx, listKey)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	byID, err := s.one.Many(ctx, ids)
	if err != nil {
		return nil, err
	}
	activities := make([]*Activity, 0, len(ids))
	for _, id := range ids {
		if a, ok := byID[id]; ok && a.State == Published {
			activities = append(activities, a)
		}
	}
	return activities, nil
}

// Forget makes this instance read an activity anew after it was changed.
func (s *Shelf) Forget(id string) {
	s.one.Forget(id)
	s.list.Forget(listKey)
}

func (s *Shelf) load(ctx context.Context, ids []string) (map[string]*Activity, error) {
	var activities []*Activity
	err := s.db.InView(ctx, func(tx *sqlx.Tx) (err error) {
		activities, err = selectActivities(ctx, tx, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*Activity, len(activities))
	for _, a := range activities {
		if a.State != Draft {
			byID[a.ID] = a
		}
	}
	return byID, nil
}

func (s *Shelf) loadList(ctx context.Context, _ []string) (map[string][]string, error) {
	var ids []string
	const query = `SELECT activity_id FROM activities WHERE state = 'published' AND ends_ms > ? ORDER BY ends_ms DESC, activity_id LIMIT ?`
	if err := s.db.Read.SelectContext(ctx, &ids, query, s.clock.NowMS()-endedFor.Milliseconds(), maxListed); err != nil {
		return nil, fmt.Errorf("select list of activities: %w", err)
	}
	return map[string][]string{listKey: ids}, nil
}
