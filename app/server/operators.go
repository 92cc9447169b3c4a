package server

import (
	"onrush/modules/oplog"
	orderadmin "onrush/modules/order/admin"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/sqldb"
)

// recordChanges returns the route of operators' changes, and records from now on who makes each request of an operator.
func (s *Server) recordChanges(db *sqldb.DB) routes {
	record := oplog.NewHTTPOperator(oplog.NewLog(db), oplog.NewRecorder(s.clock.Now, s.parts.random32))
	s.noteOperator = record.Identify
	return record
}

// ordersForOperators returns the operators' routes of orders, which show payments too.
func (s *Server) ordersForOperators(db *sqldb.DB, payments *payadmin.Service) routes {
	return orderadmin.NewHTTPOperator(orderadmin.NewService(db),
		orderadmin.NewNotes(db, s.clock.Now, s.parts.random32), payments)
}
