package drill

import (
	"net/http"

	"onrush/web/client"
)

// unreached reports whether the gateway has sent notifications and none has come to the program: ONRUSH_PUBLIC_URL
// leads to no server, or to another one. Then the payments of a drill show nothing about the program.
func unreached(payments map[string]*client.SandboxState) bool {
	tried := false
	for _, p := range payments {
		for _, n := range p.Notifications {
			if n.State == "acknowledged" || !ofAnother(n.Answer) {
				return false
			}
			tried = tried || n.Attempts > 0
		}
	}
	return tried
}

// ofAnother reports whether a status, 0 for none, is what a proxy or another server answers to a notification.
func ofAnother(status int) bool {
	switch status {
	case 0, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	}
	return status >= http.StatusMultipleChoices && status < http.StatusBadRequest
}
