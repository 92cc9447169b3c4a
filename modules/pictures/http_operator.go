package pictures

import (
	"bytes"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web"
)

// HTTPOperator has the operators' routes of pictures.
type HTTPOperator struct{ service *Service }

// NewHTTPOperator returns the routes over service.
func NewHTTPOperator(service *Service) *HTTPOperator { return &HTTPOperator{service} }

// Upload answers POST /admin/api/v1/pictures. The body is the picture.
func (h *HTTPOperator) Upload(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "shop_id"); err != nil {
		return err
	}
	shop, err := web.QueryID(c, "shop_id")
	if err != nil {
		return err
	}
	request := c.Request()
	mediaType, body := string(request.Header.ContentType()), request.Body() // c.Body would unpack it
	coding := request.Header.ContentEncoding()
	switch {
	case len(coding) > 0 && !bytes.EqualFold(coding, []byte("identity")):
		return problem.Errorf(web.CodeUnsupportedMedia, "The body must not be compressed.")
	case !Takes(mediaType):
		return problem.Errorf(web.CodeUnsupportedMedia,
			"The body must be a picture, with the content type image/jpeg, image/png or image/webp.")
	case len(body) > MaxBytes:
		return problem.Errorf(web.CodeTooLarge, "The picture must have at most %d bytes.", MaxBytes)
	}
	picture, isNew, err := h.service.Keep(c.UserContext(), Upload{
		Shop: shop, MediaType: mediaType, Data: body, By: web.Who(c).User,
	})
	if err != nil {
		return err
	}
	if isNew {
		c.Status(fiber.StatusCreated)
	}
	return c.JSON(picture)
}

// List answers GET /admin/api/v1/pictures.
func (h *HTTPOperator) List(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "after", "page_size", "shop_id"); err != nil {
		return err
	}
	after, size, err := web.ParseAfter(c)
	if err != nil {
		return err
	}
	shop, err := web.QueryID(c, "shop_id")
	if err != nil {
		return err
	}
	list, err := h.service.List(c.UserContext(), shop, after, size)
	if err != nil {
		return err
	}
	return c.JSON(list)
}

// Delete answers DELETE /admin/api/v1/pictures/{picture_id}.
func (h *HTTPOperator) Delete(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "picture_id", "picture")
	if err != nil {
		return err
	}
	if err := h.service.Delete(c.UserContext(), id); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}
