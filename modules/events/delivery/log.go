package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/sqldb"
)

// Log returns a page of an endpoint's deliveries, the newest events first: those before an event (0: from the newest),
// of one status or all ("").
func (s *Service) Log(
	ctx context.Context, endpoint, status string, before int64, size int,
) (api.List[Delivery], error) {
	list := api.List[Delivery]{PageSize: size}
	if _, err := selectEndpoint(ctx, s.db.Read, endpoint); err != nil {
		return list, err
	}
	var where sqldb.Where
	where.And("endpoint_id = ?", endpoint)
	where.AndIf(status != "", "status = ?", status)
	where.AndIf(before > 0, "event_id < ?", before)
	var rows []deliveryRow
	query := `SELECT ` + deliveryColumns.Names + ` FROM deliveries` + where.String() +
		` ORDER BY event_id DESC LIMIT ?`
	if err := s.db.Read.SelectContext(ctx, &rows, query, where.Args(size+1)...); err != nil {
		return list, err
	}
	if len(rows) > size {
		rows = rows[:size]
		list.NextCursor = strconv.FormatInt(rows[size-1].Event, 10)
	}
	for i := range rows {
		list.Items = append(list.Items, rows[i].view())
	}
	return list, nil
}

// Delivery returns a delivery with its event.
func (s *Service) Delivery(ctx context.Context, id string) (v Detail, err error) {
	endpoint, event, ok := parseDeliveryID(id)
	if !ok {
		return v, errNoDelivery
	}
	var row deliveryRow
	err = s.db.Read.GetContext(ctx, &row, `SELECT `+deliveryColumns.Names+` FROM deliveries
		WHERE endpoint_id = ? AND event_id = ?`, endpoint, event)
	if errors.Is(err, sql.ErrNoRows) {
		return v, errNoDelivery
	}
	if err != nil {
		return v, err
	}
	found, _, err := s.feed.Read(ctx, event-1, nil, 1)
	if err != nil {
		return v, err
	}
	v.Delivery = row.view()
	if len(found) > 0 && found[0].ID == event {
		v.Event = &found[0]
	}
	return v, nil
}

// Resend sends a delivery again, as soon as the earlier events of its subject that wait were sent.
func (s *Service) Resend(ctx context.Context, id string) (v Delivery, err error) {
	endpoint, event, ok := parseDeliveryID(id)
	if !ok {
		return v, errNoDelivery
	}
	now := s.now().UnixMilli()
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// The row of the endpoint is locked first, as Deliverers do.
		const lock = `UPDATE endpoints SET due_ms = 1, version = version + 1 WHERE endpoint_id = ?`
		n, err := exec(ctx, tx, lock, endpoint)
		if err != nil {
			return fmt.Errorf("lock endpoint %s: %w", endpoint, err)
		}
		if n == 0 {
			return errNoDelivery
		}
		var row deliveryRow
		err = tx.GetContext(ctx, &row, `SELECT `+deliveryColumns.Names+` FROM deliveries
			WHERE endpoint_id = ? AND event_id = ?`, endpoint, event)
		if errors.Is(err, sql.ErrNoRows) {
			return errNoDelivery
		}
		if err != nil {
			return fmt.Errorf("select delivery %s: %w", id, err)
		}
		if err := s.checkWaiting(ctx, tx, &row); err != nil {
			return err
		}
		row.Status, row.NextMS, row.FirstMS = waiting, now, 0
		v = row.view()
		const update = `UPDATE deliveries SET status = 'waiting', next_ms = ?, first_ms = 0
			WHERE endpoint_id = ? AND event_id = ?`
		if _, err := exec(ctx, tx, update, now, endpoint, event); err != nil {
			return fmt.Errorf("resend delivery %s: %w", id, err)
		}
		return recordChange(ctx, tx, "resent", endpoint, nil, map[string]string{"delivery_id": id})
	})
	return v, err
}

// checkWaiting counts one more delivery that waits, if row doesn't wait yet, and refuses too many.
func (s *Service) checkWaiting(ctx context.Context, tx *sqlx.Tx, row *deliveryRow) error {
	if row.Status == waiting {
		return nil
	}
	const update = `UPDATE endpoints SET waiting = waiting + 1 WHERE endpoint_id = ? AND waiting < ?`
	n, err := exec(ctx, tx, update, row.Endpoint, s.cfg.Waiting)
	if err != nil {
		return fmt.Errorf("count what waits for endpoint %s: %w", row.Endpoint, err)
	}
	if n == 0 {
		return errTooManyWait
	}
	return nil
}
