package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

func TestSettingsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		fresh := do[client.Settings](t, w.op, 200, "getSettings")
		assert.Equal(t, client.SettingsSet{}, fresh.Set)
		routes, hosts := []string{"POST /api/v1/seckill/path=5/1s"}, []string{"https://img.example"}
		changed := do[client.Settings](t, w.op, 200, "changeSettings", sent(object{
			"limit_user": "500/1s", "limit_address": "9000/1s", "limit_network": "9000/1s", "limit_strangers": "none",
			"limit_instance": "9000/1s", "limit_routes": routes, "log": "error", "degrade": "no_streams",
			"sales_stopped": true, "limits": "dry_run", "image_hosts": hosts, "version": fresh.Version,
		}))
		assert.Equal(t, fresh.Version+1, changed.Version)
		assert.NotZero(t, changed.UpdatedAt)
		assert.Equal(t, client.SettingsSet{
			LimitUser: "500/1s", LimitAddress: "9000/1s", LimitNetwork: "9000/1s", LimitStrangers: "none",
			LimitInstance: "9000/1s", LimitRoutes: routes, Log: "error", Degrade: "no_streams", SalesStopped: true,
			Limits: "dry_run", ImageHosts: hosts,
		}, changed.Set)
		assert.Equal(t, routes, changed.InForce.LimitRoutes)
		assert.Equal(t, changed, do[client.Settings](t, w.op, 200, "getSettings"))
		assert.Equal(t, "stale_version",
			w.op.do(t, 409, "changeSettings", sent(object{"log": "info", "version": fresh.Version})).Code())
		for name, value := range map[string]any{
			"limit_user": "5/25h", "limit_address": "5/10", "limit_routes": []string{"ASK /api/v1/orders=5/1s"},
			"image_hosts": []string{"https://IMG.example"},
		} {
			w.op.do(t, 422, "changeSettings", sent(object{name: value}))
		}
		assert.Equal(t, "sales_stopped", w.ada.do(t, 409, "takePath",
			sent(object{"activity_id": w.activity, "sku_id": "lamp"})).Code())
		unset := do[client.Settings](t, w.op, 200, "changeSettings", sent(object{
			"limits":          nil,
			"limit_user":      nil,
			"limit_address":   nil,
			"limit_network":   nil,
			"limit_strangers": nil,
			"limit_instance":  nil,
			"limit_routes":    nil,
			"image_hosts":     nil,
			"log":             nil,
			"degrade":         nil,
			"sales_stopped":   nil,
		}))
		assert.Equal(t, client.SettingsSet{}, unset.Set)
		assert.Equal(t, fresh.InForce, unset.InForce)
	})
}
