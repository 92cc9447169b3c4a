package server

import "context"

// Hook is what package onrushtest changes of a program, and learns of it.
type Hook struct {
	Change func(*Parts)
	Made   func(*Server)
}

type hookKey struct{}

// WithHook returns a context in which package onrush makes its programs with a hook.
func WithHook(ctx context.Context, h Hook) context.Context {
	return context.WithValue(ctx, hookKey{}, h)
}

// HookOf returns the hook of ctx, whose functions do nothing if it has none.
func HookOf(ctx context.Context) Hook {
	h, ok := ctx.Value(hookKey{}).(Hook)
	if !ok {
		return Hook{Change: func(*Parts) {}, Made: func(*Server) {}}
	}
	return h
}
