package pay

import (
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/modules/refusals"
	"onrush/web"
)

// HTTPWebhooks has the route for the gateways' notifications.
type HTTPWebhooks struct {
	gateways  Gateways
	processor *Processor
	refusals  *refusals.Log
}

// NewHTTPWebhooks returns the route.
func NewHTTPWebhooks(gateways Gateways, processor *Processor) *HTTPWebhooks {
	return &HTTPWebhooks{gateways: gateways, processor: processor, refusals: refusals.New(processor.now, processor.log)}
}

// ProbeHeader is a header of requests that only ask whether the webhooks can be reached.
const ProbeHeader = "Onrush-Probe"

// Notify answers POST /webhooks/pay/{channel}. It sends the gateway's success answer only after the commit.
// The refusal of onrush doctor's probe isn't logged, which names itself, and has no body.
func (h *HTTPWebhooks) Notify(c *fiber.Ctx) error {
	gateway, ok := h.gateways[web.Param(c, "channel")]
	if !ok {
		return problem.NotFound("channel")
	}
	header := http.Header{}
	c.Request().Header.VisitAll(func(key, value []byte) { header.Add(string(key), string(value)) })
	body := append([]byte(nil), c.BodyRaw()...)
	n, err := gateway.Verify(header, body)
	probe := errors.Is(err, ErrSignature) && len(body) == 0 && header.Get(ProbeHeader) != ""
	if err != nil && !probe && !errors.Is(err, ErrNotPayment) {
		h.refusals.Report(c.UserContext(), "notification", "channel", gateway.Channel(), err)
	}
	switch {
	case problem.Is(err): // of a gateway that the shop itself wrote
		return err
	case errors.Is(err, ErrSignature):
		return &problem.Error{Code: problem.CodeUnauthorized, Detail: "The signature is wrong or too old.", Err: err}
	case errors.Is(err, ErrNotPayment), errors.Is(err, ErrUnreadable): // there is nothing to process
	case err != nil:
		return problem.Unavailable(err, "The notification can't be read.")
	default:
		for _, n := range append([]Notification{n}, n.Also...) {
			if err := h.processor.Process(c.UserContext(), gateway.Channel(), n); err != nil {
				return err
			}
		}
	}
	contentType, answer := gateway.Acknowledge()
	c.Set(fiber.HeaderContentType, contentType)
	return c.Send(answer)
}
