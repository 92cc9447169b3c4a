package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
)

// Scopes are the scopes that may call a route beside admin.
type Scopes []api.Scope

// OperatorRoutes registers operators' routes, each with the scopes that may call it.
type OperatorRoutes struct {
	router fiber.Router
	once   fiber.Handler
	routes []operatorRoute
}

// operatorRoute is a route as operators see it: its method and its path in the notation of openapi.yaml, below the
// prefix of operators' routes.
type operatorRoute struct {
	Route  string `json:"route"`
	Scopes Scopes `json:"scopes"` // admin first
}

// NewOperatorRoutes registers routes in a group behind Auth.RequireOperator. once stands before each POST route; it
// carries out a request with an Idempotency-Key at most once.
func NewOperatorRoutes(router fiber.Router, once fiber.Handler) *OperatorRoutes {
	return &OperatorRoutes{router: router, once: once}
}

// Get registers a GET route, as the other methods do theirs.
func (r *OperatorRoutes) Get(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodGet, path, may, handlers)
}

// Post registers a POST route.
func (r *OperatorRoutes) Post(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPost, path, may, slices.Concat([]fiber.Handler{r.once}, handlers))
}

// PostKeyed registers a POST route whose service keeps the Idempotency-Keys itself, beside what it makes.
func (r *OperatorRoutes) PostKeyed(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPost, path, may, handlers)
}

// Put registers a PUT route.
func (r *OperatorRoutes) Put(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPut, path, may, handlers)
}

// Patch registers a PATCH route.
func (r *OperatorRoutes) Patch(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodPatch, path, may, handlers)
}

// Delete registers a DELETE route.
func (r *OperatorRoutes) Delete(path string, may Scopes, handlers ...fiber.Handler) {
	r.add(fiber.MethodDelete, path, may, handlers)
}

func (r *OperatorRoutes) add(method, path string, may Scopes, handlers []fiber.Handler) {
	handlers = slices.Concat([]fiber.Handler{RequireScope(may...)}, handlers)
	if method == fiber.MethodGet {
		r.router.Get(path, handlers...) // and HEAD
	} else {
		r.router.Add(method, path, handlers...)
	}
	parts := strings.Split(strings.ReplaceAll(path, `\:`, ":"), "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	r.routes = append(r.routes, operatorRoute{
		Route: method + " " + strings.Join(parts, "/"), Scopes: slices.Concat(Scopes{api.ScopeAdmin}, may),
	})
}

// Me answers GET /admin/api/v1/me: who the caller is, and all routes that are registered so far.
func (r *OperatorRoutes) Me(c *fiber.Ctx) error {
	who := Who(c)
	return c.JSON(struct {
		Name      string          `json:"name"`
		Scope     api.Scope       `json:"scope"`
		ExpiresAt api.Millis      `json:"expires_at,omitzero"`
		Routes    []operatorRoute `json:"routes"`
	}{who.User, who.Scope, who.KeyExpires, r.routes})
}
