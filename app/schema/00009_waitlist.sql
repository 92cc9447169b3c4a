-- +goose Up
-- The waiting lists of sales. offer_within_s is how long units are offered to a buyer who waits; 0: there is no list.
-- waitlist has a row for each buyer who waits for units of a sku, or whom some are offered; joined_ms is their place.
-- until_ms is when the offer ends; 0: the buyer waits. passed_ms is when others were first offered units while there
-- were too few for this buyer; 0: never.
-- choice is the delivery that the buyer chose, as JSON.
-- Locks: nothing for long: adds a column and an index to activities, which is small, and makes a table.
ALTER TABLE activities ADD COLUMN offer_within_s BIGINT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;
CREATE INDEX activities_offers ON activities (retired_ms, offer_within_s) /*! ALGORITHM=INPLACE LOCK=NONE */;
CREATE TABLE IF NOT EXISTS waitlist (
    activity_id VARCHAR(64) NOT NULL,
    sku_id      VARCHAR(64) NOT NULL,
    user_id     VARCHAR(64) NOT NULL,
    entry_id    VARCHAR(32) NOT NULL,
    point_id    VARCHAR(64) NOT NULL,
    quantity    BIGINT      NOT NULL,
    choice      TEXT        NOT NULL,
    joined_ms   BIGINT      NOT NULL,
    passed_ms   BIGINT      NOT NULL,
    until_ms    BIGINT      NOT NULL,
    PRIMARY KEY (activity_id, sku_id, user_id)
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
CREATE INDEX /*M! IF NOT EXISTS */ waitlist_by ON waitlist (activity_id, until_ms, sku_id, point_id, joined_ms, entry_id);
CREATE INDEX /*M! IF NOT EXISTS */ waitlist_user ON waitlist (user_id, joined_ms);

-- +goose Down
DROP TABLE waitlist;
DROP INDEX activities_offers /*! ON activities */;
ALTER TABLE activities DROP COLUMN offer_within_s;
