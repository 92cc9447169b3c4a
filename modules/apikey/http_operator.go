package apikey

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of keys.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the routes over service.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// List answers GET /admin/api/v1/keys.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page_size", "after"); err != nil {
		return err
	}
	page, err := web.ParseCursor(c)
	if err != nil {
		return err
	}
	var before oplog.ID
	if page.After != "" {
		if before, err = oplog.ParseID("after", page.After); err != nil {
			return err
		}
	}
	list, err := h.service.List(c.UserContext(), before, page.Size)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// Create answers POST /admin/api/v1/keys.
func (h *HTTPOperator) Create(c *fiber.Ctx) error {
	if _, err := web.IdempotencyKey(c); err != nil {
		return err
	}
	var body struct {
		Name      string     `json:"name" validate:"required,user,max=60"`
		Scope     api.Scope  `json:"scope" validate:"required,oneof=admin till support catalogue read events payments"`
		Shop      string     `json:"shop_id" validate:"omitempty,id"`
		ExpiresAt api.Millis `json:"expires_at"`
	}
	if err := web.Bind(c, &body); err != nil {
		return err
	}
	by := web.Who(c)
	key, err := h.service.Create(c.UserContext(), Request{
		Name: body.Name, Scope: body.Scope, Shop: body.Shop, ExpiresAt: body.ExpiresAt, By: by.User,
		Until: by.KeyExpires,
	})
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(key)
}

// Revoke answers DELETE /admin/api/v1/keys/{key_id}.
func (h *HTTPOperator) Revoke(c *fiber.Ctx) error {
	id, err := oplog.ParseID("key_id", web.Param(c, "key_id"))
	if err != nil {
		return problem.NotFound("key")
	}
	if err := h.service.Revoke(c.UserContext(), id, web.Who(c).User); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// Keys checks the keys of requests for web.Auth.
type Keys struct{ *Verifier }

var _ web.Keys = Keys{}

// Identity is web.Keys.
func (k Keys) Identity(ctx context.Context, secret string) (web.Identity, error) {
	key, err := k.Verify(ctx, secret)
	if err != nil {
		return web.Identity{}, err
	}
	return web.Identity{
		User: key.Actor(), Scope: key.Scope, Shop: key.Shop, KeyExpires: key.ExpiresAt, Session: key.SignedIn != "",
	}, nil
}
