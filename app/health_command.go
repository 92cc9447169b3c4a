package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"onrush/web"
)

// healthWithin bounds the request of the command health.
const healthWithin = 3 * time.Second

// healthCommand asks the instance on this machine, for health checks in images that have no other program.
type healthCommand struct {
	Addr string `help:"Address that the instance listens on." default:"127.0.0.1:8080" env:"ONRUSH_ADDR" log:"show"`
	Live bool   `help:"Only ask whether it runs, not whether it is ready."`
}

// Run prints the state of the instance, and fails unless it is ready; an instance that is degraded is.
func (c *healthCommand) Run(ctx context.Context, all *commands, out io.Writer) error {
	url, err := c.url()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		if advice := all.forgotten(); advice != "" {
			err = fmt.Errorf("%w; %s", err, advice)
		}
		return fmt.Errorf("the instance doesn't answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var state web.Ready
	if err := json.NewDecoder(answer.Body).Decode(&state); err != nil {
		return fmt.Errorf("the answer of %s can't be read: %w", url, err)
	}
	_, _ = fmt.Fprintln(out, strings.Join(append([]string{state.Status}, state.Unavailable...), " "))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the instance is not ready: %s", state.Status)
	}
	return nil
}

// url returns what to ask. An instance that listens on all addresses is asked on the loopback address.
func (c *healthCommand) url() (string, error) {
	url, err := instanceURL(c.Addr)
	if err != nil {
		return "", fmt.Errorf("ONRUSH_ADDR is %s, but must be host:port: %w", c.Addr, err)
	}
	if c.Live {
		return url + "/livez", nil
	}
	return url + "/readyz", nil
}

// instanceURL returns the URL of an instance on this machine that listens at an address.
func instanceURL(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}
