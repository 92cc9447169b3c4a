package operators

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/web"
)

// Unowned confines a route that shows and changes nothing of any shop, or that confines itself by api.ShopOf.
func Unowned(c *fiber.Ctx) error { return c.Next() }

// Among confines a list that has the filter shop_id: it selects the operator's shop. A list of another shop is
// forbidden.
func Among(c *fiber.Ctx) error {
	shop, asked := api.ShopOf(c.UserContext()), c.Context().QueryArgs().PeekMulti("shop_id")
	for _, other := range asked {
		if len(other) > 0 && string(other) != shop {
			return web.Forbidden("This operator belongs to the shop %s.", shop)
		}
	}
	c.Context().QueryArgs().Set("shop_id", shop)
	return c.Next()
}

// ShopOf returns the shop of a thing by its id, which may be any text. The error is not_found if there is none.
type ShopOf func(ctx context.Context, id string) (string, error)

// Of confines a route about the thing that a parameter of the path names: a thing of another shop is not_found, like a
// thing that doesn't exist. what names the kind of thing.
func Of(param, what string, shopOf ShopOf) fiber.Handler { return of(param, what, shopOf, false) }

// OfOrNew is Of for a route that creates the thing if there is none. Its service checks the shop in the transaction.
func OfOrNew(param, what string, shopOf ShopOf) fiber.Handler { return of(param, what, shopOf, true) }

func of(param, what string, shopOf ShopOf, creates bool) fiber.Handler {
	return func(c *fiber.Ctx) error {
		shop, err := shopOf(c.UserContext(), web.Param(c, param))
		switch {
		case creates && problem.CodeOf(err) == problem.CodeNotFound:
		case err != nil:
			return err
		case api.Outside(c.UserContext(), shop):
			return problem.NotFound(what)
		}
		return c.Next()
	}
}
