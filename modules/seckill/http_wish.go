package seckill

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// WisherOf returns the buyer who sent a request, with the answer to the human check that the request has.
func WisherOf(c *fiber.Ctx, humanCheck string) Wisher {
	who, client := web.Who(c), web.ClientOf(c)
	return Wisher{
		User: who.User, Segments: who.Segments, From: client.IP, Address: client.Counted, HumanCheck: humanCheck,
		Claim: func(name string) []string { return web.Claim(c, name) },
	}
}

// Wishes answers with what a buyer wishes for in all sales, or in the one that the query names.
func Wishes[T any](c *fiber.Ctx, of func(ctx context.Context, user, activity string) ([]T, error)) error {
	if err := web.OnlyQuery(c, "activity_id"); err != nil {
		return err
	}
	activity, err := web.QueryID(c, "activity_id")
	if err != nil {
		return err
	}
	items, err := of(c.UserContext(), web.Who(c).User, activity)
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"items": items})
}
