package server

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/seckill/admin"
)

func TestDemoChangesNothingThatExists(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	start := func(do func(s *Server)) {
		cfg := Config{Addr: "127.0.0.1:0", DataDir: data, Lanes: 4}
		parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
		require.NoError(t, err)
		defer closeStores()
		s, err := New(cfg, parts)
		require.NoError(t, err)
		defer s.quit()
		_, err = s.modules.sales.preheater.RunOnce(t.Context())
		require.NoError(t, err)
		do(s)
	}
	everything := func(s *Server) []any {
		skus, err := s.Catalogue.SKUs(t.Context(), catalogue.Filter{}, api.KeyPage{Page: 1, Size: 100})
		require.NoError(t, err)
		points, err := s.Catalogue.Points(t.Context(), catalogue.Filter{}, api.KeyPage{Page: 1, Size: 100})
		require.NoError(t, err)
		list, err := s.Activities.List(t.Context(), admin.Filter{}, api.KeyPage{Page: 1, Size: 100})
		require.NoError(t, err)
		sales := list.Items
		for _, sale := range sales {
			for _, sku := range sale.SKUs {
				for i := range sku.Stock {
					sku.Stock[i].Epoch = 0 // it counts how often the embedded Redis was loaded
				}
			}
		}
		return []any{skus.Items, points.Items, sales}
	}
	var edited []any
	start(func(s *Server) {
		require.NoError(t, s.Demo(t.Context()))
		requirePictures(t, s)
		sku, err := s.Catalogue.SKU(t.Context(), "lamp")
		require.NoError(t, err)
		sku.Title, sku.Price, sku.Shop = "Another lamp", 1, "my-shop"
		_, err = s.Catalogue.PutSKU(t.Context(), sku)
		require.NoError(t, err)
		for _, id := range []string{"0", "east"} {
			_, err = s.Catalogue.PutPoint(t.Context(), catalogue.Point{ID: id, Name: "Mine", Regions: []string{}})
			require.NoError(t, err)
		}
		edited = everything(s)
	})
	start(func(s *Server) {
		require.NoError(t, s.Demo(t.Context()))
		assert.Equal(t, edited, everything(s))
	})
}

// requirePictures requires that each picture of the demo is in the program.
func requirePictures(t *testing.T, s *Server) {
	t.Helper()
	skus, err := s.Catalogue.SKUs(t.Context(), catalogue.Filter{}, api.KeyPage{Page: 1, Size: 100})
	require.NoError(t, err)
	list, err := s.Activities.List(t.Context(), admin.Filter{}, api.KeyPage{Page: 1, Size: 100})
	require.NoError(t, err)
	var pictures []string
	for _, sku := range skus.Items {
		assert.NotEmpty(t, sku.Description)
		pictures = append(pictures, sku.ImageURL)
	}
	for _, sale := range list.Items {
		assert.NotEmpty(t, sale.Description)
		pictures = append(append(pictures, sale.ImageURL), sale.Images...)
	}
	require.Len(t, pictures, 4+2*4)
	for _, picture := range pictures {
		name, ok := strings.CutPrefix(picture, "/assets/demo/")
		require.True(t, ok, picture)
		assert.FileExists(t, "../../web/pages/demo/"+name)
	}
}
