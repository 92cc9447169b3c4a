package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
)

// checkAdmission refuses a route that can't be asked, and a second one to ask.
func (c *Config) checkAdmission() error {
	if c.AdmitURL == "" {
		return nil
	}
	if c.Admit != nil {
		return errors.New("ONRUSH_ADMIT_URL is set, but Admit of Config answers who is admitted")
	}
	_, err := admit.ParseRoute(c.AdmitURL, time.Now, nil)
	if err != nil {
		return fmt.Errorf("ONRUSH_ADMIT_URL: %w", err)
	}
	return nil
}

// openAdmission opens the gate at which the shop is asked, if it wants to be.
func (g *gates) openAdmission(cfg *Config, p Parts) (err error) {
	ask := cfg.Admit
	if cfg.AdmitURL != "" {
		if g.route, err = admit.ParseRoute(cfg.AdmitURL, p.Now, p.NewID); err != nil {
			return fmt.Errorf("ONRUSH_ADMIT_URL: %w", err)
		}
		ask = g.route.Ask
	}
	if ask != nil {
		g.admission = admit.NewGate(ask, p.Now, p.Log)
	}
	return nil
}

// admitSwap asks the shop whether a buyer may have another sku.
func (g *gates) admitSwap(ctx context.Context, activity, sku, user, from string) error {
	asks := admit.Admission{Activity: activity, SKU: sku, User: user, Address: from}
	return problem.RefusedBy("admission", g.admission.Admit(ctx, asks))
}
