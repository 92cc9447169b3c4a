package seckill

import "github.com/prometheus/client_golang/prometheus"

// Metrics returns how this instance places orders.
func (s *Service) Metrics() []prometheus.Collector { return s.placer.Metrics() }
