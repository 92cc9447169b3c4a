package web

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
)

const maxFields = 20

func invalidFields(wrong []Field) error { panic("soon") }

// NewApp ...; stop ends the streams and makes readyz say 503; ids makes request ids.
func NewApp(stop context.Context, cfg Config, log *slog.Logger, ids func() string) (*fiber.App, error) {
	panic("soon")
}

// ClientIP ...
func ClientIP(c *fiber.Ctx) string { panic("soon") }

// Bind ...
func Bind(c *fiber.Ctx, into any) error { panic("soon") }

// Events ...
func Events(c *fiber.Ctx, every, most time.Duration, next func(ctx context.Context) (payload any, done bool, err error)) error {
	panic("soon")
}

// Role ...
type Role string

// Roles ...
const (
	RoleUser  Role = "user"
	RoleAdmin Role = "admin"
)

// Identity ...
type Identity struct {
	User string
	Role Role
}

// AuthConfig ...
type AuthConfig struct {
	Secret    string        // of HS256, at least 32 bytes; "" = no HS256
	JWKSFile  string        // path
	JWKSURL   string        // https URL
	Leeway    time.Duration // for exp, nbf and iat. Default 5 s.
	CacheSize int           // verified tokens that are remembered. Default 100,000.
}

// Auth ...
type Auth struct{}

// NewAuth ...
func NewAuth(ctx context.Context, cfg AuthConfig, log *slog.Logger, now func() time.Time) (*Auth, error) {
	panic("soon")
}

// Run refreshes the keys until ctx ends; returns at once where there is nothing to refresh.
func (a *Auth) Run(ctx context.Context) { panic("soon") }

// Require ...
func (a *Auth) Require(role Role) fiber.Handler { panic("soon") }

// Sign ...
func (a *Auth) Sign(user string, role Role, ttl time.Duration) (string, error) { panic("soon") }

// DevToken is the handler of POST /dev/token {user_id, role} → {token}.
func (a *Auth) DevToken() fiber.Handler { panic("soon") }

// Who ...
func Who(c *fiber.Ctx) Identity { panic("soon") }

// Health adds /livez and /readyz.
func Health(r fiber.Router, stop context.Context, checks map[string]func(ctx context.Context) error, log *slog.Logger) {
	panic("soon")
}

// Docs adds /openapi.yaml, /openapi.json, /docs and /docs/assets/….
func Docs(r fiber.Router) error { panic("soon") }
