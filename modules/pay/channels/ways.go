package channels

// Device is where a buyer pays.
type Device string

// The devices.
const (
	Computer Device = "computer"
	Phone    Device = "phone"
	// App is a page or a mini program in the channel's own app.
	App Device = "app"
)

// Way is how buyers pay through a channel on a device.
type Way struct {
	Device Device `json:"device"`
	// By names the part of the payment's field next that the client uses: redirect_url, or one of the params in it.
	By string `json:"by"`
	// Needs are the fields of the request that this way needs, besides the fields that every payment needs.
	Needs []string `json:"needs,omitempty"`
}

// Anywhere returns the ways of a channel whose buyers open redirect_url, on any device.
func Anywhere() []Way {
	return []Way{{Device: Computer, By: "redirect_url"}, {Device: Phone, By: "redirect_url"}}
}

// View is a channel that is on.
type View struct {
	Channel string `json:"channel"`
	Ways    []Way  `json:"ways"`
}
