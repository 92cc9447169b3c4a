package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// endpointRow is a row of the table endpoints, whose comment in the schema explains the columns.
type endpointRow struct {
	ID             string `db:"endpoint_id"`
	URL            string `db:"url"`
	Types          string `db:"types"`
	Enabled        bool   `db:"enabled"`
	Secret         string `db:"secret"`
	Previous       string `db:"previous_secret"`
	PreviousUntil  int64  `db:"previous_until_ms"`
	After          int64  `db:"after_id"`
	ReplayAfter    int64  `db:"replay_after"`
	ReplayUpTo     int64  `db:"replay_upto"`
	ReplayFromMS   int64  `db:"replay_from_ms"`
	ReplayToMS     int64  `db:"replay_to_ms"`
	Owner          string `db:"lease_owner"`
	LeaseUntil     int64  `db:"lease_until_ms"`
	DueMS          int64  `db:"due_ms"`
	Waiting        int64  `db:"waiting"`
	FailingSince   int64  `db:"failing_since_ms"`
	AttemptedMS    int64  `db:"attempted_ms"`
	SucceededMS    int64  `db:"succeeded_ms"`
	DisabledReason string `db:"disabled_reason"`
	CreatedMS      int64  `db:"created_ms"`
	UpdatedMS      int64  `db:"updated_ms"`
	Version        int64  `db:"version"`  // of the due events, for rounds
	Revision       int64  `db:"revision"` // of the settings, for operators
}

// types returns the event types that operators chose for the endpoint; none are all that takes allows.
func (e *endpointRow) types() []string { return strings.Fields(e.Types) }

// takes reports whether the endpoint gets an event of the types that were read for it. Reminders are sent only where
// they were chosen: each event has a subject of its own, so if a receiver refuses them, so many wait that its cursor
// stops, and events of orders wait, too.
func (e *endpointRow) takes(v *events.Event) bool {
	return e.Types != "" || v.Type != journal.ReminderDue
}

func (e *endpointRow) replaying() bool { return e.ReplayAfter < e.ReplayUpTo }

// secrets returns the secrets that sign at a time, the new one first.
func (e *endpointRow) secrets(nowMS int64) []string {
	if e.Previous != "" && nowMS < e.PreviousUntil {
		return []string{e.Secret, e.Previous}
	}
	return []string{e.Secret}
}

// The status of a delivery.
const (
	waiting   = "waiting"
	delivered = "delivered"
	failed    = "failed"
)

// deliveryRow is a row of the table deliveries.
type deliveryRow struct {
	Endpoint   string `db:"endpoint_id"`
	Event      int64  `db:"event_id"`
	Subject    string `db:"subject"`
	Type       string `db:"type"`
	Status     string `db:"status"`
	Attempts   int64  `db:"attempts"`
	StatusCode int64  `db:"status_code"`
	Answer     string `db:"answer"`
	Error      string `db:"error"`
	DurationMS int64  `db:"duration_ms"`
	FirstMS    int64  `db:"first_ms"` // of the first attempt; 0: none
	AtMS       int64  `db:"at_ms"`
	NextMS     int64  `db:"next_ms"`
}

var (
	endpointColumns = sqldb.ColumnsOf[endpointRow]()
	deliveryColumns = sqldb.ColumnsOf[deliveryRow]()
)

var (
	errNoEndpoint = problem.NotFound("endpoint")
	errNoDelivery = problem.NotFound("delivery")
)

// selectEndpoint reads an endpoint; if there is none, the error is not_found.
func selectEndpoint(ctx context.Context, q sqlx.QueryerContext, id string) (e endpointRow, err error) {
	err = sqlx.GetContext(ctx, q, &e, `SELECT `+endpointColumns.Names+` FROM endpoints WHERE endpoint_id = ?`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return e, errNoEndpoint
	}
	if err != nil {
		return e, fmt.Errorf("select endpoint %s: %w", id, err)
	}
	return e, nil
}

// lockEndpoint locks the row of an endpoint until the transaction ends, and reads it as selectEndpoint.
func lockEndpoint(ctx context.Context, tx *sqlx.Tx, id string) (endpointRow, error) {
	if _, err := exec(ctx, tx, `UPDATE endpoints SET version = version WHERE endpoint_id = ?`, id); err != nil {
		return endpointRow{}, fmt.Errorf("lock endpoint %s: %w", id, err)
	}
	return selectEndpoint(ctx, tx, id)
}

// lockHead locks out others who add or delete endpoints, until the transaction ends.
func lockHead(ctx context.Context, tx *sqlx.Tx) error {
	if _, err := tx.ExecContext(ctx, `UPDATE endpoints_head SET version = version + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("lock the endpoints: %w", err)
	}
	return nil
}

// exec runs a statement and returns how many rows it met.
func exec(ctx context.Context, tx sqlx.ExecerContext, query string, args ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
