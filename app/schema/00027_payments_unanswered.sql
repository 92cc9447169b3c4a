-- +goose Up
-- How often the gateway gave no answer about a payment after it had expired. Its orders wait for an answer until there
-- were enough of these.
ALTER TABLE payments ADD COLUMN /*M! IF NOT EXISTS */ unanswered INT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE payments DROP COLUMN unanswered;
