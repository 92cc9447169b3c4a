package userdata

import (
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	orderadmin "onrush/modules/order/admin"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/modules/trail"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Redis redis.UniversalClient
	Keys  lua.Keys
	Site  *site.Site // its lanes have the cached orders

	Addresses *catalogue.Addresses
	Orders    *orderadmin.Service
	Notes     *orderadmin.Notes
	Payments  *payadmin.Service
	Trails    *trail.Service

	// Random returns a text that nobody can guess, for pseudonyms.
	Random func() string
	Faults order.Faults // nil except in tests
}
