package setting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/setting"
)

type settings struct {
	Name  string        `help:"A name." default:"n" env:"ONRUSH_TRIED_NAME"`
	Wait  time.Duration `help:"A wait." default:"5s" env:"ONRUSH_TRIED_WAIT"`
	Items []string      `help:"Items." env:"ONRUSH_TRIED_ITEMS"`
	On    bool          `help:"On." default:"true" negatable:"" env:"ONRUSH_TRIED_ON"`
	Level string        `help:"Level." default:"info" enum:"info,warn" env:"ONRUSH_TRIED_LEVEL"`
	Count int           `help:"Count." default:"3" env:"ONRUSH_TRIED_COUNT" least:"1"`
}

func TestReadTakesOnlyTheMapAndTheDefaults(t *testing.T) {
	t.Setenv("ONRUSH_TRIED_NAME", "of the environment")
	var got settings
	require.NoError(t, setting.Read(&got, nil))
	assert.Equal(t, settings{Name: "n", Wait: 5 * time.Second, On: true, Level: "info", Count: 3}, got)
	got = settings{}
	require.NoError(t, setting.Read(&got, map[string]string{
		"ONRUSH_TRIED_NAME": " m\n", "ONRUSH_TRIED_WAIT": "1m", "ONRUSH_TRIED_ITEMS": "a, b",
		"ONRUSH_TRIED_ON":    "false",
		"ONRUSH_TRIED_LEVEL": "warn", "ONRUSH_TRIED_COUNT": " ",
	}))
	assert.Equal(t, settings{
		Name: "m", Wait: time.Minute, Items: []string{"a", "b"}, Level: "warn", Count: 3,
	}, got)
}

func TestReadRefusesWhatIsNoSettingOrNoValue(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"ONRUSH_TRIED_COUNTS": "did you mean ONRUSH_TRIED_COUNT?", "ONRUSH_TRIED_COUNT": "--count",
		"ONRUSH_TRIED_LEVEL": "must be one of", "ONRUSH_TRIED_WAIT": "--wait", "PATH": "PATH is not a setting",
	} {
		var got settings
		require.ErrorContains(t, setting.Read(&got, map[string]string{name: "zero"}), text, name)
	}
}
