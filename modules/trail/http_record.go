package trail

import "onrush/web"

// Record remembers a refused request of a buyer.
func (m *Memory) Record(r web.Refusal) {
	m.Add(Refusal{
		User: r.User, Method: r.Method, Path: r.Path, Status: r.Status, Code: r.Code, Detail: r.Detail, Key: r.Key,
		LastRequest: r.RequestID, Activity: r.Activity, SKU: r.SKU,
	})
}
