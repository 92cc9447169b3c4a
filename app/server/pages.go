package server

import (
	"slices"

	"onrush/web/pages"
)

// registerPages adds the shop and the console, unless they are off.
func (s *Server) registerPages() error {
	if !s.cfg.Pages {
		return nil
	}
	signIn := ""
	if login, err := s.cfg.login(); err == nil && login != nil && !s.cfg.DevTokens() {
		signIn = login.Host()
	}
	settings := pages.Settings{
		Base: s.cfg.basePath(), DevTokens: s.cfg.DevTokens(), Channels: []string{},
		SignIn:     signIn,
		HostLogin:  s.cfg.Authenticate != nil && !s.cfg.DevTokens(),
		ImageHosts: func() []string { return append(s.cfg.ownOrigins(), s.modules.settings.imageHosts()...) },
		Stripe:     s.cfg.Stripe.PublishableKey != "",
		ReturnURL: slices.ContainsFunc(s.cfg.ownOrigins(), func(own string) bool {
			return slices.Contains(s.cfg.returnOrigins(), own)
		}),
	}
	for _, channel := range s.cfg.Channels(s.parts.Now) {
		settings.Channels = append(settings.Channels, channel.Name)
	}
	return pages.Register(s.App, settings)
}
