package admin

import (
	"time"

	"onrush/modules/bounded"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Service reads payments and refunds for operators.
type Service struct {
	db     *sqldb.DB
	now    func() time.Time
	number func() order.Number

	revenues *bounded.Map[span, []Revenue] // of spans that no payment joins any more
}

// NewService returns a Service.
func NewService(d Deps) *Service {
	return &Service{db: d.DB, now: d.Now, number: d.Number, revenues: bounded.New[span, []Revenue](maxSpans)}
}
