package buyer

import (
	"context"
	"encoding/json"
	"net/url"

	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
)

// maxTurns bounds the turns through the gates, and the polls of a place in line.
const maxTurns = 120

// Path passes the gates of a sale for a sku, and returns the last answer, which has the path if its code is OK.
func (b *Buyer) Path(ctx context.Context, activity, sku string) (a Answer) {
	visit := map[string]string{"activity_id": activity, "sku_id": sku}
	for range maxTurns {
		a = b.Insist(ctx, "path", "POST", "/api/v1/seckill/path", "", visit)
		var passed bool
		switch a.Code {
		case line.CodeLineRequired.Name, line.CodePlaceInvalid.Name:
			visit["place"], passed = b.line(ctx, activity)
		case human.CodeRequired.Name, human.CodeFailed.Name:
			visit["human_check"], passed = b.prove(ctx, activity)
		case seckill.CodeNotStarted.Name:
			if visit["place"] == "" { // those who come early join the line early
				visit["place"] = b.join(ctx, activity).Place
			}
			passed = b.Wait(ctx, a)
		case seckill.CodeNoPermit.Name, seckill.CodePaused.Name:
			passed = b.Wait(ctx, a)
		default:
			return a
		}
		if !passed {
			return a
		}
	}
	return a
}

// Submit submits an order on a path with an Idempotency-Key until its outcome is known, and returns the last answer.
func (b *Buyer) Submit(ctx context.Context, path, key string, order any) Answer {
	return b.Insist(ctx, "submit", "POST", "/api/v1/seckill/"+url.PathEscape(path)+"/submit", key, order)
}

// CreateAddress stores an address of the buyer in a region.
func (b *Buyer) CreateAddress(ctx context.Context, region string) Answer {
	return b.Insist(ctx, "address", "POST", "/api/v1/addresses", "", map[string]any{
		"receiver": b.Name, "phone": "13800000000", "region": region, "detail": "1 Main Street",
	})
}

// join takes a place in the waiting room; it is "" where there is none.
func (b *Buyer) join(ctx context.Context, activity string) Answer {
	return b.Insist(ctx, "line", "POST", "/api/v1/seckill/line", "", map[string]string{"activity_id": activity})
}

// line waits in the waiting room until the buyer is admitted.
func (b *Buyer) line(ctx context.Context, activity string) (place string, admitted bool) {
	a := b.join(ctx, activity)
	for range maxTurns {
		switch {
		case a.Code != OK:
			return "", false
		case a.PlaceStatus == line.Admitted:
			return a.Place, true
		case !b.Wait(ctx, a):
			return "", false
		}
		a = b.Insist(ctx, "line", "GET", "/api/v1/seckill/line/"+url.PathEscape(a.Place), "", nil)
	}
	return "", false
}

// prove answers the human check of a sale. Only a proof of work can be answered here.
func (b *Buyer) prove(ctx context.Context, activity string) (text string, ok bool) {
	query := "?activity_id=" + url.QueryEscape(activity)
	a := b.Insist(ctx, "challenge", "GET", "/api/v1/seckill/challenge"+query, "", nil)
	var c human.Challenge
	if a.Code != OK || json.Unmarshal(a.Body, &c) != nil || c.Kind != human.ProofOfWork {
		return "", false
	}
	select {
	case b.Proofs <- struct{}{}: // the program needs processors, too
	case <-ctx.Done():
		return "", false
	}
	defer func() { <-b.Proofs }()
	return solve(ctx, c)
}
