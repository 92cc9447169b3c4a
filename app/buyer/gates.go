package buyer

import (
	"context"
	"net/url"
	"strings"

	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
	"onrush/web/client"
)

// maxTurns bounds the turns through the gates, and the polls of a place in line.
const maxTurns = 120

// Path passes the gates of a sale for a sku, or several, as PathRequest has them. It returns the last answer, and the
// path if its code is OK.
func (b *Buyer) Path(ctx context.Context, activity, sku string) (path string, a Answer) {
	visit := PathRequest(activity, sku)
	for range maxTurns {
		a = b.Insist(ctx, "path", "POST", "/api/v1/seckill/path", "", visit)
		var passed bool
		switch a.Code {
		case line.CodeLineRequired.Name, line.CodePlaceInvalid.Name:
			visit.Place, passed = b.line(ctx, activity)
		case human.CodeRequired.Name, human.CodeFailed.Name:
			visit.HumanCheck, passed = b.prove(ctx, activity)
		case seckill.CodeNotStarted.Name:
			if visit.Place == "" { // those who come early join the line early
				visit.Place = placeOf(b.join(ctx, activity)).Place
			}
			passed = b.Wait(ctx, a)
		case seckill.CodeNoPermit.Name, seckill.CodePaused.Name:
			passed = b.Wait(ctx, a)
		}
		if !passed {
			break
		}
	}
	var got client.Path
	a.Read(&got)
	return got.Path, a
}

// PathRequest is the body of a request for a path for a sku, or for a unit each of several, with commas between them.
func PathRequest(activity, skus string) client.PathRequest {
	ids := strings.Split(skus, ",")
	if len(ids) == 1 {
		return client.PathRequest{ActivityID: activity, SKUID: skus}
	}
	visit := client.PathRequest{ActivityID: activity}
	for _, id := range ids {
		visit.Lines = append(visit.Lines, client.Line{SKUID: id, Quantity: 1})
	}
	return visit
}

// Submit submits an order on a path with an Idempotency-Key until its outcome is known, and returns the last answer.
func (b *Buyer) Submit(ctx context.Context, path, key string, order client.SubmitRequest) Answer {
	return b.Insist(ctx, "submit", "POST", SubmitURL(path), key, order)
}

// SubmitURL is where orders are submitted on a path.
func SubmitURL(path string) string { return "/api/v1/seckill/" + url.PathEscape(path) + "/submit" }

// join takes a place in the waiting room, where there is one.
func (b *Buyer) join(ctx context.Context, activity string) Answer {
	return b.Insist(ctx, "line", "POST", "/api/v1/seckill/line", "", client.LineRequest{ActivityID: activity})
}

// placeOf returns the place that an answer has, an empty one if it has none.
func placeOf(a Answer) (p client.Place) {
	a.Read(&p)
	return p
}

// line waits in the waiting room until the buyer is admitted.
func (b *Buyer) line(ctx context.Context, activity string) (place string, admitted bool) {
	a := b.join(ctx, activity)
	for range maxTurns {
		p := placeOf(a)
		switch {
		case a.Code != OK:
			return "", false
		case p.Status == string(line.Admitted):
			return p.Place, true
		case !b.Wait(ctx, a):
			return "", false
		}
		a = b.Insist(ctx, "line", "GET", "/api/v1/seckill/line/"+url.PathEscape(p.Place), "", nil)
	}
	return "", false
}

// Proved sends a request, and sends it again with an answer to the human check of a sale when it is asked for one.
// It returns the last answer.
func (b *Buyer) Proved(ctx context.Context, activity string, send func(humanCheck string) Answer) (a Answer) {
	a = send("")
	for range maxTurns {
		if a.Code != human.CodeRequired.Name && a.Code != human.CodeFailed.Name {
			break
		}
		text, ok := b.prove(ctx, activity)
		if !ok {
			break
		}
		a = send(text)
	}
	return a
}

// prove answers the human check of a sale. Only a proof of work can be answered here.
func (b *Buyer) prove(ctx context.Context, activity string) (text string, ok bool) {
	query := "?activity_id=" + url.QueryEscape(activity)
	a := b.Insist(ctx, "challenge", "GET", "/api/v1/seckill/challenge"+query, "", nil)
	var c human.Challenge
	if !a.Read(&c) || c.Kind != human.ProofOfWork {
		return "", false
	}
	free, taken := take(ctx, b.Proofs) // the program needs processors, too
	if !taken {
		return "", false
	}
	defer free()
	return solve(ctx, c)
}
