package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"

	"onrush/app/server"
)

// notify tells systemd that the program serves, and when ctx ends that it stops. Without systemd it does nothing.
func notify(ctx context.Context) {
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	context.AfterFunc(ctx, func() { _, _ = daemon.SdNotify(false, daemon.SdNotifyStopping) })
}

// untilSignal returns a context that ends with the first signal to stop. SIGTERM lets the server serve on for the
// configured time, so that a load balancer can take it out; SIGINT, as from a terminal, and each further signal hurries
// it. SIGHUP makes it read the keys and the settings again, and never ends it. release stops the handling.
func untilSignal(ctx context.Context, s *server.Server) (stopping context.Context, release func()) {
	stopping, stop := context.WithCancel(ctx)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case got := <-signals:
				if got == syscall.SIGHUP {
					s.Reload(ctx)
					continue
				}
				if got == os.Interrupt || stopping.Err() != nil {
					s.Hurry()
				}
				stop()
			case <-done:
				return
			}
		}
	}()
	return stopping, func() {
		signal.Stop(signals)
		close(done)
		stop()
	}
}
