package admin

import (
	"time"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Service reads payments and refunds for operators.
type Service struct {
	db     *sqldb.DB
	now    func() time.Time
	number func() order.Number

	revenues revenues
}

// NewService returns a Service.
func NewService(d Deps) *Service { return &Service{db: d.DB, now: d.Now, number: d.Number} }
