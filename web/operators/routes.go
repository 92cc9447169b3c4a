package operators

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/web"
)

// Scopes are the scopes that may call a route beside admin.
type Scopes []api.Scope

// Shops says how each route that operators of one shop may call is confined to their shop: a handler before the route,
// by the route's method and path in the notation of openapi.yaml, such as "GET /skus/{sku_id}". Other routes are for
// operators of the whole platform.
type Shops map[string]fiber.Handler

// Routes registers operators' routes, each with the scopes that may call it.
type Routes struct {
	router fiber.Router
	once   fiber.Handler
	shops  Shops
	routes []route
}

// route is a route as operators see it: its method and its path in the notation of openapi.yaml, below the prefix of
// operators' routes.
type route struct {
	Route  string `json:"route"`
	Scopes Scopes `json:"scopes"` // admin first
}

// New registers routes in a group behind Auth.RequireOperator. once stands before each POST route; it carries out a
// request with an Idempotency-Key at most once.
func New(router fiber.Router, once fiber.Handler, shops Shops) *Routes {
	return &Routes{router: router, once: once, shops: shops}
}

// Get registers a GET route, as the other methods do theirs.
func (r *Routes) Get(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodGet, path, may, handlers)
}

// Post registers a POST route.
func (r *Routes) Post(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPost, path, may, slices.Concat([]fiber.Handler{r.once}, handlers))
}

// PostKeyed registers a POST route whose service keeps the Idempotency-Keys itself, beside what it makes.
func (r *Routes) PostKeyed(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPost, path, may, handlers)
}

// Put registers a PUT route.
func (r *Routes) Put(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPut, path, may, handlers)
}

// Patch registers a PATCH route.
func (r *Routes) Patch(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPatch, path, may, handlers)
}

// Delete registers a DELETE route.
func (r *Routes) Delete(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodDelete, path, may, handlers)
}

func (r *Routes) add(method, path string, may Scopes, handlers []fiber.Handler) {
	parts := strings.Split(strings.ReplaceAll(path, `\:`, ":"), "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	name := method + " " + strings.Join(parts, "/")
	handlers = slices.Concat([]fiber.Handler{requireScope(may), confine(r.shops[name])}, handlers)
	if method == fiber.MethodGet {
		r.router.Get(path, handlers...) // and HEAD
	} else {
		r.router.Add(method, path, handlers...)
	}
	r.routes = append(r.routes, route{Route: name, Scopes: slices.Concat(Scopes{api.ScopeAdmin}, may)})
}

// requireScope accepts operators whose scope is admin or one of may.
func requireScope(may Scopes) fiber.Handler {
	names := make([]string, 0, len(may)+1)
	for _, scope := range append(slices.Clone(may), api.ScopeAdmin) {
		names = append(names, string(scope))
	}
	needed := strings.Join(names, " or ")
	return func(c *fiber.Ctx) error {
		scope := web.Who(c).Scope
		if scope == api.ScopeAdmin || slices.Contains(may, scope) {
			return c.Next()
		}
		return web.Forbidden("This operator has the scope %s; the route needs %s.", scope, needed)
	}
}

// confine lets operators of the whole platform pass, and operators of one shop only through a handler of Shops.
func confine(toShop fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		shop := web.Who(c).Shop
		switch {
		case shop == "":
			return c.Next()
		case toShop == nil:
			return web.Forbidden("This operator belongs to the shop %s; the route is for operators of all shops.", shop)
		}
		c.SetUserContext(api.WithShop(c.UserContext(), shop))
		return toShop(c)
	}
}

// Check returns an error if Shops has a route that isn't registered, such as one that is misspelt.
func (r *Routes) Check() error {
	var errs []error
	for name := range r.shops {
		if !slices.ContainsFunc(r.routes, func(has route) bool { return has.Route == name }) {
			errs = append(errs, fmt.Errorf("there is no route %s for operators of one shop", name))
		}
	}
	return errors.Join(errs...)
}

// Me answers GET /admin/api/v1/me: who the caller is, and all routes that are registered so far; to an operator of one
// shop, those that such operators may call.
func (r *Routes) Me(c *fiber.Ctx) error {
	who, routes := web.Who(c), r.routes
	if who.Shop != "" {
		routes = slices.DeleteFunc(slices.Clone(routes), func(has route) bool { return r.shops[has.Route] == nil })
	}
	return c.JSON(struct {
		Name      string     `json:"name"`
		Scope     api.Scope  `json:"scope"`
		Shop      string     `json:"shop_id,omitempty"`
		ExpiresAt api.Millis `json:"expires_at,omitzero"`
		Routes    []route    `json:"routes"`
	}{who.User, who.Scope, who.Shop, who.KeyExpires, routes})
}
