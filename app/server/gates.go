package server

import (
	"crypto/rand"

	"onrush/lua"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
)

// gates are what stands before the paths of sales.
type gates struct {
	limits *limits.Gate // nil: rate limits are off
	line   *line.Service
	checks human.Checks
}

func (s *Server) gates(cfg Config, sales line.Sales, scripts *lua.Scripts) (g gates, err error) {
	if !cfg.limitsOff() {
		judge := lua.NewRateJudge(s.parts.Redis, s.parts.Keys)
		g.limits = limits.NewGate(judge, cfg.Limits == "dry_run", s.parts.Now, s.parts.Log)
	}
	secret, previous := []byte(cfg.PathSecret), []byte(cfg.PathSecretPrevious)
	g.line, err = line.NewService(line.Config{Secret: secret, PreviousSecret: previous},
		line.Deps{Sales: sales, Lua: scripts, Clock: s.clock})
	if err != nil {
		return g, err
	}
	pow, err := human.NewPow(human.PowConfig{
		Secret: secret, PreviousSecret: previous, Difficulty: cfg.PowDifficulty,
	}, scripts, s.clock.Now, rand.Reader)
	if err != nil {
		return g, err
	}
	g.checks = human.Checks{human.ProofOfWork: pow}
	if !cfg.Captcha.Off() {
		g.checks[human.Captcha], err = human.NewHostedCaptcha(cfg.Captcha, s.parts.Log)
	}
	return g, err
}
