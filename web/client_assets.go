package web

import (
	"embed"
	"fmt"

	"github.com/gofiber/fiber/v2"
)

//go:embed client/onrush.js client/onrush.d.ts
var clientFiles embed.FS

// clientAssets are the files of the browser's client with their media types.
var clientAssets = map[string]string{
	"onrush.js":   "text/javascript; charset=utf-8",
	"onrush.d.ts": "text/plain; charset=utf-8",
}

// Scripts adds /assets/onrush.js, a client for browsers that buys through all gates of a sale, and its types.
func Scripts(r fiber.Router) error {
	for name, kind := range clientAssets {
		data, err := clientFiles.ReadFile("client/" + name)
		if err != nil {
			return fmt.Errorf("client: %w", err)
		}
		r.Get("/assets/"+name, static(data, kind))
	}
	return nil
}
