// Command shop is a shop platform that sells by Onrush. It has a page of its own, and the sales below /sales; without
// REDIS and MYSQL it runs on embedded stores in ./data.
package main

import (
	"cmp"
	"context"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	addr := cmp.Or(os.Getenv("ADDR"), "127.0.0.1:3000")
	cfg := onrush.Config{
		Redis: os.Getenv("REDIS"), MySQL: os.Getenv("MYSQL"), BaseURL: "http://" + addr + "/sales", Log: slog.Default(),
		Settings: map[string]string{
			"ONRUSH_JWT_SECRET": os.Getenv("JWT_SECRET"), "ONRUSH_PATH_SECRET": os.Getenv("PATH_SECRET"),
		},
	}
	if cfg.Redis == "" {
		cfg.Dir = "data"
	}
	sales, err := onrush.New(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	if err := sales.Start(ctx); err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("My shop. The sales: /sales/api/v1/activities\n") })
	sales.Mount(app, "/sales")
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		<-ctx.Done()
		_ = app.ShutdownWithTimeout(10 * time.Second)
		_ = ln.Close() // Shutdown doesn't end an app that doesn't serve yet
	}()
	if err := app.Listener(ln); err != nil {
		log.Print(err)
	}
	if err := sales.Stop(context.Background()); err != nil {
		log.Print(err)
	}
}
