// Command payments is a shop platform whose buyers pay from the credit that they have in the shop: a payment gateway of
// its own. It has the sales below /sales and the page to pay at below /credit.
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
	credit := newCredit("http://"+addr+"/credit/", os.Getenv("CREDIT_SECRET"))
	sales, err := onrush.New(ctx, onrush.Config{
		Dir: "data", BaseURL: "http://" + addr + "/sales", Log: slog.Default(), Gateways: []onrush.Gateway{credit},
		Settings: map[string]string{"ONRUSH_JWT_SECRET": os.Getenv("JWT_SECRET")},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := sales.Start(ctx); err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
	app.Get("/credit/:number", credit.page)
	app.Post("/credit/:number", credit.pay)
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
