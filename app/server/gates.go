package server

import (
	"onrush/lua"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
)

// gates are what stands before the paths of sales.
type gates struct {
	limits *limits.Gate // nil: rate limits are off
	checks human.Checks
}

func (s *Server) gates(cfg Config) (g gates, err error) {
	if !cfg.limitsOff() {
		judge := lua.NewRateJudge(s.parts.Redis, s.parts.Keys)
		g.limits = limits.NewGate(judge, cfg.Limits == "dry_run", s.parts.Now, s.parts.Log)
	}
	return g, nil
}
