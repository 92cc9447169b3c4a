package e2e

import (
	"net/http"
	"testing"
	"time"

	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// A bot that can't get a path can't wait for units, or enter a draw, either.
func TestNobodyJoinsAWaitingListOrADrawWithoutTheHumanCheckOfItsSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		list := s.Open(t, site.Sale{
			SKU: "lamp", Stock: map[string]int64{"0": 1}, OfferWithinS: 60, HumanCheck: human.ProofOfWork,
		})
		last := client.PathRequest{ActivityID: list, SKUID: "lamp", HumanCheck: proof(t, bob, list)}
		path := site.Read[client.Path](t, http.StatusOK, bob.Call(t, http.MethodPost, "/api/v1/seckill/path", "", last))
		site.Read[client.Submitted](t, http.StatusAccepted, bob.Call(t, http.MethodPost,
			"/api/v1/seckill/"+path.Path+"/submit", "last", client.SubmitRequest{Quantity: 1}))
		draw := s.Open(t, site.Sale{
			SKU: "desk", StartsIn: time.Hour, EndsIn: 2 * time.Hour, OfferWithinS: 60, Mode: seckill.Draw,
			HumanCheck: human.ProofOfWork,
		})
		for activity, wish := range map[string]func(p *site.Person, answer string) site.Answer{
			list: func(p *site.Person, answer string) site.Answer {
				return p.Call(t, http.MethodPost, "/api/v1/seckill/waitlist", "",
					client.WaitlistRequest{ActivityID: list, SKUID: "lamp", HumanCheck: answer})
			},
			draw: func(p *site.Person, answer string) site.Answer {
				return p.Call(t, http.MethodPost, "/api/v1/seckill/draws/"+draw+"/entries", "",
					client.DrawRequest{SKUID: "desk", HumanCheck: answer})
			},
		} {
			requireRefusal(t, wish(alice, ""), http.StatusForbidden, "human_check_required")
			answer := proof(t, alice, activity)
			requireRefusal(t, wish(bob, answer), http.StatusForbidden, "human_check_failed")
			site.Read[map[string]any](t, http.StatusOK, wish(alice, answer))
			requireRefusal(t, wish(alice, answer), http.StatusForbidden, "human_check_failed")
		}
	})
}

// proof solves a new challenge of a sale.
func proof(t *testing.T, p *site.Person, activity string) string {
	t.Helper()
	return solve(t, site.Read[client.Challenge](t, http.StatusOK,
		p.Call(t, http.MethodGet, "/api/v1/seckill/challenge?activity_id="+activity, "", nil)))
}
