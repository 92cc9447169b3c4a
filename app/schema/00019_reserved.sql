-- +goose Up
-- reserved_for says for whom units of a sale are reserved and until when, as JSON; empty: for nobody. reserved has these
-- units of a sku by stock point, as waves has waves. How many of them are sold is in activity_counts, where counted is
-- `r:<sku>` and name the stock point.
-- Locks: nothing for long: adds columns to activities and activity_skus, which have few rows.
ALTER TABLE activities ADD COLUMN reserved_for VARCHAR(2000) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;
ALTER TABLE activity_skus ADD COLUMN reserved VARCHAR(4500) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE activity_skus DROP COLUMN reserved;
ALTER TABLE activities DROP COLUMN reserved_for;
