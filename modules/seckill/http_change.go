package seckill

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
	"onrush/web/api"
)

// shownChange is a stock change as operators see it.
type shownChange struct {
	ChangeID string `json:"change_id"`
	SKU      string `json:"sku_id"`
	Point    string `json:"point_id"`
	Delta    int64  `json:"delta"`
	Status   string `json:"status"`
}

func showChange(ch StockChange) shownChange {
	return shownChange{ChangeID: ch.ID, SKU: ch.SKU, Point: ch.Point, Delta: ch.Delta, Status: ch.State}
}

// shownPending is a change that is not carried out yet: since when, and what it waits for.
type shownPending struct {
	shownChange
	CreatedAt api.Millis `json:"created_at"`
	Reason    string     `json:"reason"`
}

func (h *HTTPAdmin) pendingChanges(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "page", "page_size"); err != nil {
		return err
	}
	activity, err := activityID(c)
	if err != nil {
		return err
	}
	page, err := web.ParsePage(c)
	if err != nil {
		return err
	}
	changes, total, err := h.changer.Pending(c.UserContext(), activity, page)
	if err != nil {
		return err
	}
	list := api.List[shownPending]{Page: page.Page, PageSize: page.Size, Total: &total}
	for _, ch := range changes {
		list.Items = append(list.Items, shownPending{showChange(ch.StockChange), api.Millis(ch.CreatedMS), ch.Why})
	}
	return c.JSON(list)
}

func (h *HTTPAdmin) abandonChange(c *fiber.Ctx) error {
	activity, err := activityID(c)
	if err != nil {
		return err
	}
	change, err := h.changer.Abandon(c.UserContext(), activity, web.Param(c, "change_id"))
	if err != nil {
		return err
	}
	return c.JSON(showChange(change))
}

// delete deletes a draft.
func (h *HTTPAdmin) delete(c *fiber.Ctx) error {
	id, err := activityID(c)
	if err != nil {
		return err
	}
	if err := h.activities.Delete(c.UserContext(), id); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
