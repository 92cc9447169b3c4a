package server

import (
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
	g.line, err = line.NewService(
		line.Config{Secret: []byte(cfg.PathSecret), PreviousSecret: []byte(cfg.PathSecretPrevious)},
		line.Deps{Sales: sales, Lua: scripts, Clock: s.clock})
	return g, err
}
