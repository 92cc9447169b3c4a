package contract

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
)

// notOnPages are the fields of an order that a page doesn't show, each with the reason.
var notOnPages = map[string]map[string]string{
	"console": {"goods_amount": "its lines and the freight say it"},
	"shop": {
		"shop_id": "a demo has one", "client_reference": "for the platform",
		"notify_token": "for the platform",
	},
}

// A field that is added to orders is shown on the pages of an order, or says here why it isn't.
func TestThePagesShowEachFieldOfAnOrder(t *testing.T) {
	t.Parallel()
	for page, exempt := range notOnPages {
		folder := "../../web/pages/" + page
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		var source strings.Builder
		for _, file := range files {
			if strings.HasPrefix(file.Name(), "order") || page == "shop" && strings.HasSuffix(file.Name(), ".js") &&
				!strings.HasPrefix(file.Name(), "text_") {
				text, err := os.ReadFile(folder + "/" + file.Name())
				require.NoError(t, err)
				source.Write(text)
			}
		}
		for i := range reflect.TypeFor[order.Content]().NumField() {
			name, _, _ := strings.Cut(reflect.TypeFor[order.Content]().Field(i).Tag.Get("json"), ",")
			shown := regexp.MustCompile(`[.'{ ]` + name + `\b`).MatchString(source.String())
			assert.True(t, shown || exempt[name] != "", "the %s doesn't show %s", page, name)
		}
	}
}
