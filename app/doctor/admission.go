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
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	res, called, err := d.post(ctx, name, "ONRUSH_ADMIT_URL", fields[0], "{}")
	if err != nil {
		detail, advice := called.failed(err)
		d.add(name, Failure, detail+": nobody can buy", advice)
		return
	}
	_ = res.Body.Close()
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
