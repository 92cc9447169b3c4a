package pay

import (
	"context"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// replay returns the payment that was begun with a key, or nil.
func (s *Service) replay(ctx context.Context, task, digest string) (*Payment, error) {
	p, err := onePayment(ctx, s.db.Write, `task_id = ?`, task)
	switch {
	case err != nil:
		return nil, problem.Unavailable(err, "The payment can't be read right now.")
	case p != nil && p.Digest != digest:
		return nil,
			problem.Errorf(problem.CodeIdempotencyKeyReused, "This Idempotency-Key was used for another payment.")
	case p != nil:
		p.Replayed = true
	}
	return p, nil
}

// keyID returns the task id of the payment with a user's Idempotency-Key.
func keyID(user, key string) string { return "pay." + sign.Digest(16, user, key) }

// bodyDigest returns the digest by which bodies with the same key are compared.
func bodyDigest(numbers []order.Number, req Request) string {
	parts := []string{req.Channel}
	for _, n := range numbers {
		parts = append(parts, n.String())
	}
	if req.OpenID != "" {
		parts = append(parts, "openid", req.OpenID)
	}
	if req.ReturnURL != "" {
		parts = append(parts, "return_url", req.ReturnURL)
	}
	return sign.Digest(12, parts...)
}
