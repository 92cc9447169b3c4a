package contract

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// TestValuesAtTheDocumentedBoundsAreAccepted requires that the least and greatest number of a range are accepted.
func TestValuesAtTheDocumentedBoundsAreAccepted(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		w.soldOut(t) // before a request changes where lamps are sent
		taken := 0
		for _, op := range w.operations {
			if op.body() == nil {
				continue
			}
			good, p := w.good(t, op), w.caller(op)
			var body object
			require.NoError(t, json.Unmarshal(good.body, &body))
			for name, field := range op.body().Properties {
				for _, n := range bounds(field.Value) {
					b := maps.Clone(body)
					b[name] = n
					r := good.with(sent(b))
					require.NoError(t, p.fits(r), op.id)
					if op.needsKey() {
						key(name)(r)
					}
					a := p.send(t, r)
					if (op.id == "joinWaitlist" || op.id == "enterDraw") && name == "quantity" && n > 1 {
						assert.Contains(t, string(a.Body), "more than the sale has", "nobody waits for what never was")
						taken++
						continue
					}
					if a.Status >= 400 { // other answers may name the fields that were changed
						assert.NotContains(t, string(a.Body), `"field":"`+name+`"`, "%s with %s %v", op.id, name, n)
					}
					assert.Less(t, a.Status, 500)
					taken++
				}
			}
		}
		assert.Greater(t, taken, 15)
	})
}

// bounds are the least and greatest numbers of a schema.
func bounds(s *openapi3.Schema) []float64 {
	var numbers []float64
	for _, choice := range append(openapi3.SchemaRefs{{Value: s}}, s.AnyOf...) {
		for _, bound := range []*float64{choice.Value.Min, choice.Value.Max} {
			if bound != nil {
				numbers = append(numbers, *bound)
			}
		}
		for _, one := range choice.Value.Enum {
			if n, ok := one.(float64); ok {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers
}
