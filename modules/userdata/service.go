package userdata

import (
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	orderadmin "onrush/modules/order/admin"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/problem"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/modules/trail"
)

// Service exports and erases the data of a buyer.
type Service struct {
	db    *sqldb.DB
	redis redis.UniversalClient
	keys  lua.Keys
	site  *site.Site

	addresses *catalogue.Addresses
	orders    *orderadmin.Service
	notes     *orderadmin.Notes
	payments  *payadmin.Service
	trails    *trail.Service

	random func() string
	faults order.Faults
}

// NewService returns a Service.
func NewService(d Deps) *Service {
	return &Service{
		db: d.DB, redis: d.Redis, keys: d.Keys, site: d.Site, addresses: d.Addresses, orders: d.Orders,
		notes: d.Notes, payments: d.Payments, trails: d.Trails, random: d.Random, faults: d.Faults,
	}
}

// unavailable is the problem of a store that doesn't answer; a problem stays what it is.
func unavailable(err error) error {
	return problem.OrUnavailable(err, "The user's data can't be read or changed completely right now; try again.")
}
