package server

import "onrush/app/crowd"

// registerDev adds the routes that only programs for development have.
func (s *Server) registerDev() {
	s.App.Post("/dev/token", s.Auth.DevToken())
	s.crowd = crowd.New(s.stop, crowd.Deps{
		Handler: s.App.Server().Handler, Sign: s.Auth.Sign, Sales: s.Activities, Points: s.Catalogue,
		Auditor: s.Auditor, NewID: s.parts.NewID, Now: s.parts.Now, Random: s.parts.Random, Log: s.parts.Log,
	})
	s.crowd.Register(s.App)
}
