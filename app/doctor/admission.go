package doctor

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// admission sends the route that admits buyers a question without a signature. Without an answer nobody gets a path.
func (d *Doctor) admission(ctx context.Context) {
	const name = "admission"
	fields := strings.Fields(d.cfg.AdmitURL)
	if len(fields) == 0 {
		return
	}
	ctx, called := follow(ctx)
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fields[0], strings.NewReader("{}"))
	if err != nil {
		d.add(name, Failure, "ONRUSH_ADMIT_URL is not an address", "such as https://shop.example/admit")
		return
	}
	req.Header.Set("Content-Type", "application/json")
	client := *d.client // it follows no redirects, as the gate
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		d.add(name, Failure, called.unanswered(err)+": nobody can buy", called.advice(err))
		return
	}
	_ = res.Body.Close()
	if res.TLS != nil {
		d.certificates(name+" certificate", *res.TLS)
	}
	switch res.StatusCode {
	case http.StatusOK:
		d.add(name, Warning, "it answers a question without a signature", "check the signature, unless anybody may ask")
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		d.add(name, OK, "it can be reached, and refuses a question without a signature", "")
	default:
		d.add(name, Failure, fmt.Sprintf("it answers with status %d: nobody can buy", res.StatusCode),
			"compare ONRUSH_ADMIT_URL with the route; redirects are not followed")
	}
}
