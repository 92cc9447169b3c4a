package rounds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/alecthomas/kong"

	"onrush/app/server"
)

// clockFile is the variable that makes a process of the test's binary an instance of the program. It names the file
// that says by how much the instance's clock is wrong; the log is in the file beside it with the ending .log.
const clockFile = "ONRUSH_ROUNDS_CLOCK"

// IsInstance reports whether this process is to Serve.
func IsInstance() bool { return os.Getenv(clockFile) != "" }

// Serve runs an instance of the program until SIGTERM, with the settings of the environment and a clock that may be
// wrong.
func Serve() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var cfg server.Config
	parser, err := kong.New(&cfg)
	if err != nil {
		return err
	}
	if _, err := parser.Parse(nil); err != nil {
		return err
	}
	said, err := os.OpenFile(os.Getenv(clockFile)+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, said.Close()) }()
	log := slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: cfg.Level()}))
	parts, closeStores, err := server.Open(ctx, &cfg, log, nil)
	if err != nil {
		return err
	}
	defer closeStores()
	parts.Now = wrongClock(ctx, os.Getenv(clockFile))
	s, err := server.New(cfg, parts)
	if err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if _, err := fmt.Fprintf(os.Stdout, "An instance listens on http://%s\n", ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	go keepReached(ctx)
	return errors.Join(s.Serve(ctx, ln), writeReached())
}

// wrongClock returns a clock that is wrong by the duration in a file, which may change.
func wrongClock(ctx context.Context, file string) func() time.Time {
	const every = 20 * time.Millisecond
	var wrong atomic.Int64
	read := func() {
		text, err := os.ReadFile(file)
		if err != nil {
			return
		}
		if d, err := time.ParseDuration(string(text)); err == nil { // it may be read while it is written
			wrong.Store(int64(d))
		}
	}
	read()
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for ctx.Err() == nil {
			<-ticker.C
			read()
		}
	}()
	return func() time.Time { return step(time.Now(), time.Duration(wrong.Load())) }
}

// step returns a time as time.Now returns it after the clock was set forward by whole seconds: the reading of the
// monotonic clock, by which times are subtracted, stays. Time.Add would change both.
func step(t time.Time, by time.Duration) time.Time {
	const nanoseconds = 30 // bits of time.Time.wall below the seconds
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall += uint64(by/time.Second) << nanoseconds
	return t
}
