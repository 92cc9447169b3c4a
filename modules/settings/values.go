package settings

import (
	"reflect"
	"slices"
	"strings"

	"onrush/modules/limit"
	"onrush/modules/problem"
)

// Level says what instances turn off; app/server/routes.go names it at each route. Each level turns off what those
// before it do, too.
type Level int

// The levels.
const (
	Full        Level = iota // nothing
	NoStreams                // event streams: clients poll instead
	NoLists                  // lists of orders, tasks, payments, goods and stock points
	OnlyPlacing              // lists of sales, single goods, regions, ordinary orders, cancelling, changes of addresses
)

var levels = [...]string{Full: "full", NoStreams: "no_streams", NoLists: "no_lists", OnlyPlacing: "only_placing"}

// String is the name of the level in the API.
func (l Level) String() string { return levels[l] }

// Values are the settings. A nil one isn't set: then the value of the instance's environment applies, or the default
// of settings that the environment doesn't have.
type Values struct {
	Limits         *string   `json:"limits,omitempty" validate:"omitempty,oneof=on off dry_run"`
	LimitUser      *string   `json:"limit_user,omitempty" validate:"omitempty,max=40"`
	LimitAddress   *string   `json:"limit_address,omitempty" validate:"omitempty,max=40"`
	LimitNetwork   *string   `json:"limit_network,omitempty" validate:"omitempty,max=40"`
	LimitStrangers *string   `json:"limit_strangers,omitempty" validate:"omitempty,max=40"`
	LimitInstance  *string   `json:"limit_instance,omitempty" validate:"omitempty,max=40"`
	LimitRoutes    *[]string `json:"limit_routes,omitempty" validate:"omitempty,max=20,dive,required,max=200,line"`

	ImageHosts *[]string `json:"image_hosts,omitempty" validate:"omitempty,max=50,dive,required,max=200,line"`

	Log          *string `json:"log,omitempty" validate:"omitempty,oneof=debug info warn error"`
	Degrade      *string `json:"degrade,omitempty" validate:"omitempty,oneof=full no_streams no_lists only_placing"`
	SalesStopped *bool   `json:"sales_stopped,omitempty"`
}

// Level is the level of Degrade.
func (v *Values) Level() Level {
	if v.Degrade == nil {
		return Full
	}
	return Level(max(slices.Index(levels[:], *v.Degrade), 0)) // one of a newer version turns nothing off
}

// Stopped is whether no sale takes orders.
func (v *Values) Stopped() bool { return v.SalesStopped != nil && *v.SalesStopped }

// policies are the limits by their names in the API.
func (v *Values) policies() map[string]*string {
	return map[string]*string{
		"limit_user": v.LimitUser, "limit_address": v.LimitAddress, "limit_network": v.LimitNetwork,
		"limit_strangers": v.LimitStrangers, "limit_instance": v.LimitInstance,
	}
}

// check refuses limits and origins that can't be read. isRoute checks the route of a limit of limit_routes.
func (v *Values) check(isRoute func(route string) error) error {
	for name, policy := range v.policies() {
		if policy == nil {
			continue
		}
		if _, err := limit.ParsePolicy(*policy); err != nil || *policy == "" {
			return problem.Invalid(name, "must be none, or requests and a time such as 100/1s")
		}
	}
	for _, host := range valuesOf(v.ImageHosts) {
		if origin, ok := problem.OriginOf(host); !ok || origin != host {
			return problem.Invalid("image_hosts", "must be origins such as https://img.example")
		}
	}
	for _, text := range valuesOf(v.LimitRoutes) {
		route, policy, _ := strings.Cut(text, "=")
		p, err := limit.ParsePolicy(policy)
		if err != nil || p.None() || isRoute(route) != nil {
			return problem.Invalid("limit_routes", "must be routes and limits such as POST /api/v1/seckill/path=5/1s")
		}
	}
	return nil
}

// valuesOf returns the values of a list that may be unset.
func valuesOf(list *[]string) []string {
	if list == nil {
		return nil
	}
	return *list
}

// names are the names of all settings, in the order of the fields of Values.
var names = func() (names []string) {
	for field := range reflect.TypeFor[Values]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()
