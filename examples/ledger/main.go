// Command ledger is a shop platform that books each change of an order in a table of its own, in the transaction of the
// change: its ledger and the orders are never apart, whenever it is killed. It has the sales below /sales, and needs
// Redis and a server of MySQL or MariaDB with two databases: the sales are in the database of MYSQL, whose login may
// write to the other one, LEDGER, too.
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
	book, err := openLedger(ctx, os.Getenv("MYSQL"), cmp.Or(os.Getenv("LEDGER"), "shop"))
	if err != nil {
		log.Fatal(err)
	}
	sales, err := onrush.New(ctx, onrush.Config{
		Redis: os.Getenv("REDIS"), MySQL: os.Getenv("MYSQL"), BaseURL: "http://" + addr + "/sales", Log: slog.Default(),
		Changed: book.changed,
		Settings: map[string]string{
			"ONRUSH_JWT_SECRET": os.Getenv("JWT_SECRET"), "ONRUSH_PATH_SECRET": os.Getenv("PATH_SECRET"),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := sales.Start(ctx); err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
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
