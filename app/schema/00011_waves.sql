-- +goose Up
-- waves are the parts of the stock that buyers may take from a time on, as lua.FormatWaves writes them; empty for none.
-- last_wave_ms is when the last wave of a sale opens; 0 without waves. needs are the abilities of the program that a
-- published sale has used, as modules/needs writes them: older builds don't sell it.
-- Locks: nothing for long: adds columns to activities and activity_skus, which have few rows.
ALTER TABLE activity_skus ADD COLUMN waves VARCHAR(9600) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
ALTER TABLE activities ADD COLUMN last_wave_ms BIGINT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;
ALTER TABLE activities ADD COLUMN needs VARCHAR(200) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE activities DROP COLUMN needs;
ALTER TABLE activities DROP COLUMN last_wave_ms;
ALTER TABLE activity_skus DROP COLUMN waves;
