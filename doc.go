// Package onrush runs flash sales inside another program: it takes their orders at the speed of Redis, moves them to
// MySQL or MariaDB, and cancels what is not paid.
//
//	platform, err := onrush.New(ctx, onrush.Config{Redis: redis, MySQL: dsn, BaseURL: "https://shop.example/sales"})
//	if err != nil {
//		return err
//	}
//	if err := platform.Start(ctx); err != nil {
//		return err
//	}
//	defer platform.Stop(context.WithoutCancel(ctx))
//	platform.Mount(app, "/sales") // a Fiber app
//
// Buyers, operators and payment gateways then call the routes of web/openapi.yaml below that path. The program itself
// calls the operators' routes with Call, and reads what happened with Events.
package onrush

//go:generate sh -c "go doc -all . > docs/api/onrush.txt"
